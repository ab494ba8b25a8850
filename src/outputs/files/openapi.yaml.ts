import type { Certificate } from '../../certificate/certificate.js';
import {
  audienceParameter,
  credentialHeaders,
  documentedOperation,
  renderFilterParameter,
} from '../../contract/operation.js';
import { getMediaType } from '../../http/response-status.js';
import { getIdFinders } from '../../recognition/known-ids.js';
import { inferShape } from '../../record/body-shape.js';
import { groupBy } from '../../support/group-by.js';
import { getMember } from '../../support/json.js';
import { markdown } from '../../support/markdown.js';
import { renderShortList } from '../../support/render-short-list.js';
import { readSchema } from '../../support/schema-validation.js';
import type { Output, RunView, ShownAnswer } from '../output.js';

type Members = Readonly<Record<string, unknown>>;

/**
 * Renders the operation in OpenAPI 3.1: the request as documented, the responses as seen, with inferred schemas and
 * samples, and the observed outcomes. The text is the same if the target behaves the same.
 */
export default ((view) => {
  const { target, requirements, questions } = view.certificate;
  const { name, version } = view.suite;
  const { path: urlPath, method } = documentedOperation;
  const shown = view.shown.filter(
    ({ exchange: { request } }) => request.method === method && request.path.split('?')[0] === urlPath,
  );
  const answered = questions.flatMap(({ id, outcome }) => (outcome === null ? [] : [[id, outcome]]));
  return {
    comment: '# What the documentation says about the operation, and what this target did in the last run.\n',
    yaml: {
      openapi: '3.1.0',
      info: {
        title: `Promotion validation, as observed at ${target.name}`,
        version: target.version ?? 'v1',
        description:
          markdown`The request is as documented. The responses, and what the documentation leaves open, are as ${name} ${version} saw them. Responses may have members that were not seen. In examples, \`…\` and the number 0 stand for values that change from response to response, and lists are cut to their first entry.`
            .text,
      },
      // The reference deployment has another port in each run.
      servers: [{ url: target.is_reference ? 'http://127.0.0.1:8080' : target.base_url }],
      security: [{ clientApplicationId: [], clientToken: [] }],
      paths: {
        [urlPath]: {
          [method.toLowerCase()]: {
            operationId: 'validatePromotions',
            summary: 'Returns the promotions that are valid for a customer and an order',
            description: describeOperation(requirements),
            deprecated: true,
            ...(answered.length > 0 && { 'x-observed': Object.fromEntries(answered) }),
            parameters,
            requestBody: createRequestBody(),
            responses: createResponses(shown, view),
          },
        },
      },
      components: {
        securitySchemes: {
          clientApplicationId: { type: 'apiKey', in: 'header', name: credentialHeaders.applicationId },
          clientToken: { type: 'apiKey', in: 'header', name: credentialHeaders.token },
        },
      },
    },
  };
}) satisfies Output;

function describeOperation(requirements: Certificate['requirements']): string {
  const statements = requirements.map(({ statement, verdict }) =>
    verdict === 'fail' ? `- ${statement} **This target fails it.**` : `- ${statement}`,
  );
  const silence = 'Where it is silent, `x-observed` has the outcomes, and `observed.md` says them in sentences.';
  return ['The documentation says:', statements.join('\n'), silence].join('\n\n');
}

// Some deployments read the brackets of filters only if they are not percent-encoded.
const inQuery = { in: 'query', required: false, allowReserved: true };

const parameters: readonly Members[] = [
  {
    name: audienceParameter,
    ...inQuery,
    description: 'Sent as true in one sample; its effect is not documented.',
    schema: { type: 'boolean' },
  },
  {
    name: renderFilterParameter({ on: 'campaign' }),
    ...inQuery,
    description: 'The id of a campaign: only its promotions are returned.',
    schema: { type: 'string' },
  },
  {
    name: 'metadataFilters',
    ...inQuery,
    description: `A parameter for each metadata key: \`${renderFilterParameter({ on: 'metadata', key: 'KEY' })}\`. Only promotions whose tier metadata has this value are returned.`,
    schema: { type: 'object', additionalProperties: { type: 'string' } },
    style: 'form',
    explode: true,
  },
];

function createRequestBody(): Members {
  const { properties, $defs } = readSchema('request') as { properties: { body: object }; $defs: Members };
  const schema = JSON.parse(JSON.stringify(properties.body), (_, value) =>
    typeof getMember(value, '$ref') === 'string' ? $defs[value.$ref.replace('#/$defs/', '')] : value,
  );
  const description = 'JSON, which the documentation sends on a GET.';
  return { required: false, description, content: { 'application/json': { schema } } };
}

function createResponses(shown: readonly ShownAnswer[], view: RunView): Members {
  const valid = shown.filter(({ exchange: { response } }) => response.status >= 100 && response.status < 600);
  if (valid.length === 0) return { default: { description: 'No response was seen.' } };
  const byStatus = groupBy(valid, ({ exchange: { response } }) => String(response.status));
  const responses = [...byStatus].sort().map(([status, answers]) => {
    const description = `Seen for ${renderShortList(answers.map(({ question }) => `\`${question.id}\``))}.`;
    const withBody = answers.filter(({ exchange: { response } }) => response.body !== '');
    const byType = [...groupBy(withBody, getValidMediaType)];
    const content = byType.map(([type, alike]) => [type, createContent(alike, view)]);
    return [status, { description, ...(content.length > 0 && { content: Object.fromEntries(content) }) }];
  });
  return Object.fromEntries(responses);
}

function getValidMediaType({ exchange: { response } }: ShownAnswer): string {
  const type = getMediaType(response);
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream';
}

/** The schema is inferred from so many bodies. More would take longer and show little more. */
const maxBodies = 12;

/** Infers the schema of bodies of one media type, with a sample of the first body that has one. */
function createContent(answers: readonly ShownAnswer[], { suite, shortenBody }: RunView): Members {
  const responses = answers.map(({ exchange: { response } }) => response);
  // A cut body is no JSON.
  const whole = responses.filter(({ bodyLength }) => bodyLength === undefined).map(({ body }) => body);
  const bodies = [...new Set(whole)].slice(0, maxBodies);
  const shape = inferShape(bodies, getIdFinders(suite.world));
  if (shape === undefined) return { schema: { type: 'string' } };
  // Members that were not seen are allowed.
  const schema = JSON.parse(JSON.stringify(shape), (key, value) =>
    key === 'additionalProperties' && value === false ? undefined : value,
  );
  // Tools follow references to files and addresses.
  const isHarmless = (sample: unknown) => sample !== undefined && !JSON.stringify(sample).includes('"$ref":');
  const example = bodies.map(shortenBody).find(isHarmless);
  return { schema, ...(example !== undefined && { example }) };
}
