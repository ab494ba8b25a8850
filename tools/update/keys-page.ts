import { readSchema } from '../../src/support/schema-validation.js';

/** The document with all keys of the files that users write, apart from cases. */
export const keysPage = 'docs/keys.md';

/** The keywords of JSON Schema that the page shows. */
interface Schema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** The files whose keys the page lists, by the names of their schemas, and the page that explains how to use the file. */
const files = {
  target: 'targets.md#the-target-file',
  data: 'own-data.md#from-an-export-to-a-certificate',
  known: 'ci.md#known-deviations',
} as const;

/** Members whose keys are listed elsewhere, and where. */
const listedElsewhere: Readonly<Record<string, string>> = {
  pins: 'Each key is the id of a question, each value one of its outcomes: `npx conformance list questions` prints both.',
};

/** Renders the page of all keys from the schemas that editors use. */
export function renderKeysPage(): string {
  const sections = Object.entries(files).map(([name, page]) => renderFile(name, page));
  return `${[
    '# Keys of the files',
    'All keys of target files, data files and files of known deviations. Editors show the same texts: `npm run update` writes this page from the schemas in [schemas/](../schemas). Begin a file with this line:',
    '```text\n# yaml-language-server: $schema=../node_modules/promotion-validation-conformance/schemas/target.schema.json\n```',
    'A file with bindings is a list of lines `world id: deployment id` ([how to write one](targets.md#ids-of-its-own)). [The case language](case-language.md) explains the keys of case files.',
    ...sections,
  ].join('\n\n')}\n`;
}

function renderFile(name: string, page: string): string {
  const schema = readSchema(name) as Schema;
  const rows = listMembers(schema, '', schema).map(
    ({ key, values, description }) => `| \`${key}\` | ${values} | ${escapeCell(description)} |`,
  );
  const head = [`## ${schema.title}`, '', `${schema.description} [How to use it](${page}).`, ''];
  return [...head, '| key | value | meaning |', '|---|---|---|', ...rows].join('\n');
}

interface Member {
  readonly key: string;
  readonly values: string;
  readonly description: string;
}

/** Lists all keys, those of mappings and of entries of lists too. */
function listMembers(schema: Schema, prefix: string, root: Schema): Member[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, stated]) => {
    const member = resolve(stated, root);
    const key = `${prefix}${name}`;
    const isNeeded = schema.required?.includes(name) === true;
    const description = `${isNeeded ? '**Required.** ' : ''}${member.description ?? ''}`;
    const elsewhere = listedElsewhere[key];
    if (elsewhere !== undefined)
      return [{ key, values: describeValues(member), description: `${description} ${elsewhere}` }];
    return [{ key, values: describeValues(member), description }, ...listNested(member, key, root)];
  });
}

function listNested(member: Schema, key: string, root: Schema): Member[] {
  const entry = resolve(member.items ?? {}, root);
  const alternatives = entry.oneOf?.filter(({ properties }) => properties !== undefined) ?? [];
  return [
    ...listMembers(member, `${key}.`, root),
    ...listMembers(entry, `${key}[].`, root),
    ...alternatives.flatMap((alternative) => listAlternative(alternative, key, root)),
  ];
}

/** Lists the keys of an entry of some kind, such as a rule. */
function listAlternative(alternative: Schema, key: string, root: Schema): Member[] {
  const { kind, ...properties } = alternative.properties ?? {};
  const entry = `${key}[] (${String(kind?.const)})`;
  return [
    { key: entry, values: `mapping with \`kind: ${String(kind?.const)}\``, description: alternative.description ?? '' },
    ...listMembers({ ...alternative, properties }, `${entry}.`, root),
  ];
}

/** Follows a reference. What stands beside it says more. */
function resolve(schema: Schema, root: Schema): Schema {
  const name = schema.$ref?.replace('#/$defs/', '');
  return name === undefined ? schema : { ...root.$defs?.[name], ...schema };
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: '`true` or `false`',
  array: 'list',
  object: 'mapping',
  null: 'nothing',
};

function describeValues({ type, const: constant, enum: values, minimum, maximum }: Schema): string {
  if (constant !== undefined) return `\`${String(constant)}\``;
  if (values !== undefined) return values.map((value) => `\`${String(value)}\``).join(', ');
  // An id has no type: as one, any text is accepted.
  const types = [type ?? 'string'].flat().map((name) => typeNames[name] ?? name);
  const limits = [
    ...(minimum === undefined ? [] : [`from ${minimum}`]),
    ...(maximum === undefined || maximum > 1_000_000 ? [] : [`to ${maximum}`]),
  ];
  return [types.join(' or '), ...limits].join(' ');
}

const escapeCell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
