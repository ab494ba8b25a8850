import type { ErrorObject } from 'ajv/dist/2020.js';

/** What a value must be, by its type in JSON Schema. */
const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'empty',
  number: 'a number',
  object: 'a mapping',
  string: 'a text',
};

const formatNames: Readonly<Record<string, string>> = {
  date: 'a date, as in 2027-03-31',
  'date-time': 'a time, as in 2027-03-31T12:00:00Z',
};

/** What a text, a list or a mapping has a number of, by the end of the keyword that limits it. */
const countedNames: Readonly<Record<string, readonly [one: string, many: string]>> = {
  Items: ['entry', 'entries'],
  Length: ['character', 'characters'],
  Properties: ['key', 'keys'],
};

/** Says what a value must be that violates a keyword of a schema, as the end of a sentence: "must be a whole number". */
export function describeViolation({
  keyword,
  params,
  message,
}: Pick<ErrorObject, 'keyword' | 'params' | 'message'>): string {
  const [, bound, counted] = /^(min|max)(Items|Length|Properties)$/.exec(keyword) ?? [];
  if (bound !== undefined && counted !== undefined) return describeCount(bound, counted, params.limit);
  switch (keyword) {
    case 'type': {
      const types = [params.type].flat().map((type) => typeNames[type] ?? type);
      return `must be ${types.join(' or ')}`;
    }
    case 'format':
      return `must be ${formatNames[params.format] ?? params.format}`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'exclusiveMinimum':
      return `must be greater than ${params.limit}`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`;
    case 'uniqueItems':
      return 'must not have an entry twice';
    default:
      return message ?? 'is not allowed';
  }
}

function describeCount(bound: string, counted: string, limit: number): string {
  if (limit === 0) return 'must be empty';
  if (bound === 'min' && limit === 1) return 'must not be empty';
  const [one, many] = countedNames[counted] ?? ['', ''];
  return `must have at ${bound === 'min' ? 'least' : 'most'} ${limit} ${limit === 1 ? one : many}`;
}
