import type { Suite } from '../../cases/suite.js';
import type { OperationElement, Question } from '../../contract/contract.js';
import { documentedOperation, renderFilterParameter } from '../../contract/documented-request.js';
import type { Operation } from '../../contract/relocation.js';
import type { ShownResult } from '../../engine/case-result.js';
import { credentialHeaders } from '../../http/credentials.js';
import { getHeaderValues } from '../../http/exchange.js';
import { isSuccessful } from '../../http/response-status.js';
import { type BodyShape, inferShape } from '../../judge/body-shape.js';
import { createKnownIds, type KnownIds } from '../../recognition/known-ids.js';
import { getMember, parseJson } from '../../support/json.js';
import { renderShortList } from '../../support/render-short-list.js';
import { readSchema } from '../../support/schema-validation.js';
import type { Certificate } from '../certificate.js';
import { escapeMarkdown, inlineCode } from '../markdown.js';
import { renderAnswer } from '../render-answer.js';
import { renderYaml } from '../render-yaml.js';
import { createSampler, listShownAnswers, type Sampler, type ShownAnswer } from '../shown-answers.js';

type Members = Readonly<Record<string, unknown>>;

/**
 * The operation in OpenAPI 3.1: the request as documented; the responses as they were seen, with inferred schemas and
 * samples; and each answered question as a sentence where it belongs, its outcome in `x-observed` beside it. The same
 * text whenever the target does the same.
 *
 * @param operation where the target offers it, as far as that is not as documented
 */
export function renderOpenapi(
  certificate: Certificate,
  suite: Suite,
  results: readonly ShownResult[],
  operation: Operation = {},
): string {
  const { target, requirements } = certificate;
  const { name, version } = suite;
  const place = operation.path ?? documentedOperation.path;
  const method = operation.method ?? documentedOperation.method;
  const shown = listShownAnswers(suite, results).filter(
    ({ exchange: { request } }) => request.method === method && request.path.split('?')[0] === place,
  );
  const sampler = createSampler(suite.world, results);
  const observed = observedFor(suite.contract.questions, results);
  const success = shown.find(({ exchange: { response } }) => isSuccessful(response));
  const statements = requirements.map(({ statement, verdict }) =>
    verdict === 'fail' ? `- ${statement} **Not so here: it fails.**` : `- ${statement}`,
  );
  return `# What the documentation says of the operation, and what this target was seen to do. Written by each run of all cases.\n${renderYaml(
    {
      openapi: '3.1.0',
      info: {
        title: `Promotion validation, as observed of ${target.name}`,
        version: target.version ?? 'v1',
        description: `The request is as documented; the responses, and what the documentation leaves open, are as ${escapeMarkdown(name)} ${escapeMarkdown(version)} saw them. A member that was not seen may yet come. In examples, \`…\` or the number 0 stands for what changes from answer to answer, and lists are cut to their first entry.`,
      },
      servers: [
        {
          url: '{base_url}',
          description: 'The deployment, or a mock of it.',
          variables: {
            base_url: {
              default: 'http://127.0.0.1:8080',
              description: 'Where the deployment is, without a trailing slash.',
            },
          },
        },
      ],
      security: [{ clientApplicationId: [], clientToken: [] }],
      paths: {
        [place]: {
          [methods.has(method) ? method.toLowerCase() : documentedOperation.method.toLowerCase()]: {
            operationId: 'validatePromotions',
            summary: 'Returns the promotions that are valid for a customer and an order',
            ...observed('operation', ['The documentation says:', statements.join('\n')].join('\n\n')),
            deprecated: true,
            'x-requirements': Object.fromEntries(requirements.map(({ id, verdict }) => [id, verdict])),
            parameters: parameters(observed),
            requestBody: requestBody(suite.contract.questions, observed, success),
            responses: responses(shown, observed, { ids: createKnownIds(suite.world), sampler }),
          },
        },
      },
      components: {
        securitySchemes: {
          clientApplicationId: {
            type: 'apiKey',
            in: 'header',
            name: credentialHeaders.applicationId,
            ...observed('credentials', 'Identifies the client application.'),
          },
          clientToken: {
            type: 'apiKey',
            in: 'header',
            name: credentialHeaders.token,
            description: 'The client-side token that belongs to the application.',
          },
        },
      },
    },
  )}`;
}

/** Those that a path of OpenAPI can have. */
const methods: ReadonlySet<string> = new Set(['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']);

/** What is documented of an element, with what was observed of it: `description`, and `x-observed` with the outcomes. */
type Observed = (about: OperationElement, documented: string) => Members;

function observedFor(questions: readonly Question[], results: readonly ShownResult[]): Observed {
  const outcomes = new Map(results.map(({ subject, outcome }) => [subject, outcome]));
  return (about, documented) => {
    const answered = questions.flatMap((question) => {
      const outcome = outcomes.get(question.id);
      return question.about === about && outcome !== undefined ? [{ question, outcome }] : [];
    });
    if (answered.length === 0) return { description: documented };
    const lines = answered.map(
      ({ question, outcome }) =>
        `- ${question.open} **${renderAnswer(question, outcome, quoted)}** (\`${question.id}\`)`,
    );
    const observation = ['Observed, where the documentation is silent:', lines.join('\n')];
    return {
      description: [...(documented === '' ? [] : [documented]), ...observation].join('\n\n'),
      'x-observed': Object.fromEntries(answered.map(({ question, outcome }) => [question.id, outcome])),
    };
  };
}

/** What a deployment wrote, where every renderer shows it as it is; otherwise it stands beside, where none renders it. */
function quoted(text: string): string {
  return /^(?:[\w ,;.|*/=+-]|: )+$/.test(text) ? inlineCode(text) : 'see `x-observed`';
}

function parameters(observed: Observed): Members[] {
  // The brackets go over the wire as they are.
  const filter = { in: 'query', required: false, allowReserved: true };
  const { properties } = readSchema('request') as { properties: { query: { patternProperties: object } } };
  const [pattern = ''] = Object.keys(properties.query.patternProperties);
  return [
    {
      name: 'audienceRulesOnly',
      in: 'query',
      required: false,
      ...observed('query/audienceRulesOnly', 'Sent as true in one sample; its effect is not documented.'),
      schema: { type: 'boolean' },
    },
    {
      name: renderFilterParameter({ on: 'campaign' }),
      ...filter,
      ...observed('query/promotion_id', 'The id of a campaign: only its promotions are returned.'),
      schema: { type: 'string' },
    },
    {
      name: 'metadataFilters',
      ...filter,
      ...observed(
        'query/metadata',
        'A parameter for each key, `[filters][metadata.<tier_metadata_key>][conditions][$is]`: only promotions whose tier metadata has the key with this value are returned.',
      ),
      style: 'form',
      explode: true,
      schema: { type: 'object', patternProperties: { [pattern]: { type: 'string' } } },
    },
  ];
}

/** The documented body, each member described by what was observed of it, too. */
function requestBody(questions: readonly Question[], observed: Observed, success: ShownAnswer | undefined): Members {
  const { properties, $defs } = readSchema('request') as { properties: { body: object }; $defs: Members };
  const schema = JSON.parse(JSON.stringify(properties.body), (_, value) =>
    typeof getMember(value, '$ref') === 'string' ? $defs[value.$ref.replace('#/$defs/', '')] : value,
  );
  for (const about of new Set(questions.map((question) => question.about))) {
    if (!about.startsWith('body/')) continue;
    const member = about.split('/').slice(1).reduce(memberIn, schema);
    Object.assign(member, observed(about, member.description ?? ''));
  }
  const example = parseJson(success?.exchange.request.body ?? '');
  return {
    required: false,
    ...observed('body', 'JSON, which the documentation sends on a GET.'),
    content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } },
  };
}

interface RequestSchema {
  description?: string;
  readonly properties?: Readonly<Record<string, RequestSchema>>;
  readonly items?: RequestSchema;
}

/** The schema of a member: of an object, or of each object in an array. */
function memberIn({ properties, items }: RequestSchema, name: string): RequestSchema {
  const member = (properties ?? items?.properties)?.[name];
  if (member === undefined) throw new Error(`The documented body has no member '${name}'.`);
  return member;
}

/** The responses by status, each with its bodies by media type. */
function responses(
  shown: readonly ShownAnswer[],
  observed: Observed,
  { ids, sampler }: { readonly ids: KnownIds; readonly sampler: Sampler },
): Members {
  const byStatus = grouped(shown, ({ exchange: { response } }) => String(response.status));
  const statuses = [...byStatus.keys()].filter((status) => /^[1-5]\d\d$/.test(status)).sort();
  if (statuses.length === 0) return { default: { description: 'None was seen.' } };
  const ofResults = statuses.find((status) => status.startsWith('2'));
  const ofErrors = statuses.find((status) => status >= '400');
  return Object.fromEntries(
    statuses.map((status) => {
      const answers = byStatus.get(status) ?? [];
      const seenFor = `Seen for ${renderShortList(answers.map(({ question }) => inlineCode(question.id)))}.`;
      const about = status === ofResults ? 'response' : status === ofErrors ? 'errors' : undefined;
      const byType = grouped(
        answers.filter(({ exchange: { response } }) => response.body !== ''),
        mediaTypeOf,
      );
      const content = [...byType].map(([type, each]) => [type, contentOf(each, ids, sampler)] as const);
      return [
        status,
        {
          ...(about === undefined ? { description: seenFor } : observed(about, seenFor)),
          ...(content.length === 0 ? {} : { content: Object.fromEntries(content) }),
        },
      ];
    }),
  );
}

function grouped<T>(all: readonly T[], keyOf: (each: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const each of all) groups.set(keyOf(each), [...(groups.get(keyOf(each)) ?? []), each]);
  return groups;
}

/** Without its parameters; what a body without a usable one may be, where it has none. */
function mediaTypeOf({ exchange: { response } }: ShownAnswer): string {
  const type = getHeaderValues(response.headers, 'content-type')[0]?.split(';')[0]?.trim().toLowerCase() ?? '';
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream';
}

/** So many characters of bodies show what they have in common: more take longer, and show little more. */
const maxInferred = 512 * 1024;

/** What bodies of one media type have in common, with a sample of the first that can be shown. */
function contentOf(answers: readonly ShownAnswer[], ids: KnownIds, sampler: Sampler): Members {
  // Of a longer body only the beginning is kept, which is no JSON.
  const bodies = answers.flatMap(({ exchange: { response } }) =>
    response.bodyLength === undefined ? [response.body] : [],
  );
  let length = 0;
  const looked = [...new Set(bodies)].filter((body) => {
    length += body.length;
    return length <= maxInferred;
  });
  const shape = inferShape(looked, ids);
  if (shape === undefined) return { schema: { type: 'string' } };
  const example = looked.map(sampler).find((sample) => sample !== undefined && !refers(sample));
  return { schema: opened(shape), ...(example === undefined ? {} : { example }) };
}

/** A shape that leaves room for members that were not seen. */
function opened({ properties, items, additionalProperties, ...rest }: BodyShape): BodyShape {
  return {
    ...rest,
    ...(items === undefined ? {} : { items: opened(items) }),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([key, shape]) => [key, opened(shape)])) }),
    ...(additionalProperties ? { additionalProperties: opened(additionalProperties) } : {}),
  };
}

/** Whether a value has a member that tools take for a reference, and follow to files and addresses. */
function refers(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => key === '$ref' || refers(member));
}
