import { renderAnswerMarkdown } from '../../certificate/render-answer.js';
import type { OperationElement, Question } from '../../contract/contract.js';
import {
  audienceParameter,
  credentialHeaders,
  documentedOperation,
  renderFilterParameter,
} from '../../contract/operation.js';
import { getMediaType, isSuccessful } from '../../http/response-status.js';
import { getIdFinders, type KnownIds } from '../../recognition/known-ids.js';
import { inferShape } from '../../record/body-shape.js';
import type { ResultWithExchanges } from '../../run/case-result.js';
import { groupBy } from '../../support/group-by.js';
import { getMember, parseJson } from '../../support/json.js';
import { inlineCode, type Markdown, markdown } from '../../support/markdown.js';
import { renderShortList } from '../../support/render-short-list.js';
import { readSchema } from '../../support/schema-validation.js';
import type { Output } from '../output.js';
import { type BodyShortener, createBodyShortener, listShownAnswers, type ShownAnswer } from '../shown-answers.js';

type Members = Readonly<Record<string, unknown>>;

/**
 * Renders the operation in OpenAPI 3.1: the request as documented, the responses as seen, with inferred schemas and
 * samples. Each answered question is a sentence in the description of the element that it is about, and an outcome in
 * `x-observed`. The text is the same if the target behaves the same.
 */
export default (({ certificate, suite, suiteResults }) => {
  const { target, requirements } = certificate;
  const { path: urlPath, method } = documentedOperation;
  const shown = listShownAnswers(suite, suiteResults).filter(
    ({ exchange: { request } }) => request.method === method && request.path.split('?')[0] === urlPath,
  );
  const shortenBody = createBodyShortener(suite.world, suiteResults);
  const describe = createDescriber(suite.contract.questions, suiteResults);
  const success = shown.find(({ exchange: { response } }) => isSuccessful(response));
  const statements = requirements.map(({ statement, verdict }) =>
    verdict === 'fail' ? `- ${statement} **This target fails it.**` : `- ${statement}`,
  );
  return {
    comment: '# What the documentation says about the operation, and what this target did in the last run.\n',
    yaml: {
      openapi: '3.1.0',
      info: {
        title: `Promotion validation, as observed at ${target.name}`,
        version: target.version ?? 'v1',
        description:
          markdown`The request is as documented. The responses, and what the documentation leaves open, are as ${suite.name} ${suite.version} saw them. Responses may have members that were not seen. In examples, \`…\` and the number 0 stand for values that change from response to response, and lists are cut to their first entry.`
            .text,
      },
      servers: [
        {
          url: '{base_url}',
          description: 'The deployment, or a mock of it.',
          variables: {
            base_url: {
              // The reference deployment has another port in each run.
              default: target.is_reference ? 'http://127.0.0.1:8080' : target.base_url,
              description: 'The address of the deployment, without a trailing slash.',
            },
          },
        },
      ],
      security: [{ clientApplicationId: [], clientToken: [] }],
      paths: {
        [urlPath]: {
          [method.toLowerCase()]: {
            operationId: 'validatePromotions',
            summary: 'Returns the promotions that are valid for a customer and an order',
            ...describe('operation', ['The documentation says:', statements.join('\n')].join('\n\n')),
            deprecated: true,
            'x-requirements': Object.fromEntries(requirements.map(({ id, verdict }) => [id, verdict])),
            parameters: createParameters(describe),
            requestBody: createRequestBody(suite.contract.questions, describe, success),
            responses: createResponses(shown, describe, getIdFinders(suite.world), shortenBody),
          },
        },
      },
      components: {
        securitySchemes: {
          clientApplicationId: {
            type: 'apiKey',
            in: 'header',
            name: credentialHeaders.applicationId,
            ...describe('credentials', 'Identifies the client application.'),
          },
          clientToken: {
            type: 'apiKey',
            in: 'header',
            name: credentialHeaders.token,
            description: 'The client-side token of the application.',
          },
        },
      },
    },
  };
}) satisfies Output;

/** Creates the `description` of an element, with the answers to the questions about it, and their `x-observed`. */
type Describer = (about: OperationElement, documented: string) => Members;

function createDescriber(questions: readonly Question[], results: readonly ResultWithExchanges[]): Describer {
  const bySubject = new Map(results.map((result) => [result.subject, result]));
  return (about, documented) => {
    const answered = questions.flatMap((question) => {
      const { outcome, exchange } = bySubject.get(question.id) ?? {};
      return question.about === about && outcome !== undefined ? [{ question, outcome, exchange }] : [];
    });
    if (answered.length === 0) return { description: documented };
    const lines = answered.map(
      ({ question, outcome, exchange }) =>
        `- ${question.open} **${renderAnswerMarkdown(question, outcome, exchange, quote).text}** (\`${question.id}\`)`,
    );
    const observation = ['Observed, where the documentation is silent:', lines.join('\n')];
    return {
      description: [...(documented === '' ? [] : [documented]), ...observation].join('\n\n'),
      'x-observed': Object.fromEntries(answered.map(({ question, outcome }) => [question.id, outcome])),
    };
  };
}

/** Quotes what a deployment wrote, if every renderer shows it as it is. Otherwise it only stands in `x-observed`. */
function quote(text: string): Markdown {
  return /^(?:[\w ,;.|*/=+-]|: )+$/.test(text) ? inlineCode(text) : markdown`see \`x-observed\``;
}

function createParameters(describe: Describer): Members[] {
  // The brackets go over the wire as they are.
  const filter = { in: 'query', required: false, allowReserved: true };
  const { properties } = readSchema('request') as { properties: { query: { patternProperties: object } } };
  const [pattern = ''] = Object.keys(properties.query.patternProperties);
  return [
    {
      name: audienceParameter,
      in: 'query',
      required: false,
      ...describe(`query/${audienceParameter}`, 'Sent as true in one sample; its effect is not documented.'),
      schema: { type: 'boolean' },
    },
    {
      name: renderFilterParameter({ on: 'campaign' }),
      ...filter,
      ...describe('query/promotion_id', 'The id of a campaign: only its promotions are returned.'),
      schema: { type: 'string' },
    },
    {
      name: 'metadataFilters',
      ...filter,
      ...describe(
        'query/metadata',
        `A parameter for each metadata key: \`${renderFilterParameter({ on: 'metadata', key: 'KEY' })}\`. Only promotions whose tier metadata has this value are returned.`,
      ),
      style: 'form',
      explode: true,
      schema: { type: 'object', patternProperties: { [pattern]: { type: 'string' } } },
    },
  ];
}

/** Creates the documented body. Each member's description has the answers to the questions about it. */
function createRequestBody(
  questions: readonly Question[],
  describe: Describer,
  success: ShownAnswer | undefined,
): Members {
  const { properties, $defs } = readSchema('request') as { properties: { body: object }; $defs: Members };
  const schema = JSON.parse(JSON.stringify(properties.body), (_, value) =>
    typeof getMember(value, '$ref') === 'string' ? $defs[value.$ref.replace('#/$defs/', '')] : value,
  );
  for (const about of new Set(questions.map((question) => question.about))) {
    if (!about.startsWith('body/')) continue;
    const member = about.split('/').slice(1).reduce(findMemberSchema, schema);
    Object.assign(member, describe(about, member.description ?? ''));
  }
  const example = parseJson(success?.exchange.request.body ?? '');
  return {
    required: false,
    ...describe('body', 'JSON, which the documentation sends on a GET.'),
    content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } },
  };
}

interface RequestSchema {
  description?: string;
  readonly properties?: Readonly<Record<string, RequestSchema>>;
  readonly items?: RequestSchema;
}

/** Finds the schema of a member of an object, or of each object in an array. */
function findMemberSchema({ properties, items }: RequestSchema, name: string): RequestSchema {
  const member = (properties ?? items?.properties)?.[name];
  if (member === undefined) throw new Error(`The documented body has no member '${name}'.`);
  return member;
}

function createResponses(
  shown: readonly ShownAnswer[],
  describe: Describer,
  ids: KnownIds,
  shortenBody: BodyShortener,
): Members {
  const byStatus = groupBy(shown, ({ exchange: { response } }) => String(response.status));
  const statuses = [...byStatus.keys()].filter((status) => /^[1-5]\d\d$/.test(status)).sort();
  if (statuses.length === 0) return { default: { description: 'No response was seen.' } };
  const ofResults = statuses.find((status) => status.startsWith('2'));
  const ofErrors = statuses.find((status) => status >= '400');
  return Object.fromEntries(
    statuses.map((status) => {
      const answers = byStatus.get(status) ?? [];
      const seenFor = `Seen for ${renderShortList(answers.map(({ question }) => `\`${question.id}\``))}.`;
      const about = status === ofResults ? 'response' : status === ofErrors ? 'errors' : undefined;
      const withBody = answers.filter(({ exchange: { response } }) => response.body !== '');
      const byType = groupBy(withBody, getValidMediaType);
      const content = [...byType].map(([type, shown]) => [type, createContent(shown, ids, shortenBody)] as const);
      return [
        status,
        {
          ...(about === undefined ? { description: seenFor } : describe(about, seenFor)),
          ...(content.length === 0 ? {} : { content: Object.fromEntries(content) }),
        },
      ];
    }),
  );
}

/** Returns the media type, or the one for unknown content. */
function getValidMediaType({ exchange: { response } }: ShownAnswer): string {
  const type = getMediaType(response);
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream';
}

/** The schema is inferred from so many characters of bodies. More would take longer and show little more. */
const maxInferred = 512 * 1024;

/** Infers the schema of bodies of one media type, with a sample of the first body that has one. */
function createContent(answers: readonly ShownAnswer[], ids: KnownIds, shortenBody: BodyShortener): Members {
  // A cut body is no JSON.
  const whole = answers.filter(({ exchange: { response } }) => response.bodyLength === undefined);
  let length = 0;
  const bodies = [...new Set(whole.map(({ exchange: { response } }) => response.body))].filter((body) => {
    length += body.length;
    return length <= maxInferred;
  });
  const shape = inferShape(bodies, ids);
  if (shape === undefined) return { schema: { type: 'string' } };
  // Members that were not seen are allowed.
  const schema = JSON.parse(JSON.stringify(shape), (key, value) =>
    key === 'additionalProperties' && value === false ? undefined : value,
  );
  // Tools follow references to files and addresses.
  const isHarmless = (sample: unknown) => sample !== undefined && !JSON.stringify(sample).includes('"$ref":');
  const example = bodies.map(shortenBody).find(isHarmless);
  return { schema, ...(example === undefined ? {} : { example }) };
}
