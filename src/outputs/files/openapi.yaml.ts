import {
  audienceParameter,
  credentialHeaders,
  documentedOperation,
  renderFilterParameter,
} from '../../contract/operation.js';
import type { World } from '../../contract/world.js';
import type { HttpResponse } from '../../http/exchange.js';
import { getMediaType } from '../../http/response-status.js';
import { getIdFinders } from '../../recognition/known-ids.js';
import { inferShape } from '../../record/body-shape.js';
import { groupBy } from '../../support/collections.js';
import { getMember } from '../../support/json.js';
import { markdown } from '../../support/markdown.js';
import { readSchema } from '../../support/schema-validation.js';
import type { Output } from '../output.js';

type Members = Readonly<Record<string, unknown>>;

/** Renders the operation in OpenAPI 3.1. The text is the same if the target behaves the same. */
export default (({ certificate, suite, answers }) => {
  const { target, requirements, questions } = certificate;
  const { path: urlPath, method } = documentedOperation;
  const responses = answers.flatMap(({ shown }) => {
    const isOfOperation = shown?.request.method === method && shown.request.path.split('?')[0] === urlPath;
    return isOfOperation ? [shown.response] : [];
  });
  const statements = requirements.map(({ statement, verdict }) =>
    verdict === 'fail' ? `- ${statement} **This target fails it.**` : `- ${statement}`,
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
          markdown`The request is as documented. The responses, and what the documentation leaves open (x-observed), are as ${suite.name} ${suite.version} saw them. Responses may have members that were not seen.`
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
            description: ['The documentation says:', '', ...statements].join('\n'),
            deprecated: true,
            ...(answered.length > 0 && { 'x-observed': Object.fromEntries(answered) }),
            parameters,
            requestBody: createRequestBody(),
            responses: describeResponses(responses, suite.world),
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

const metadataFilter = `\`${renderFilterParameter({ on: 'metadata', key: 'KEY' })}\``;
const parameters: readonly Members[] = [
  createParameter(audienceParameter, 'Sent as true in one sample; its effect is not documented.', { type: 'boolean' }),
  createParameter(renderFilterParameter({ on: 'campaign' }), 'The id of a campaign: only its promotions are returned.'),
  createParameter(
    'metadataFilters',
    `A parameter for each metadata key: ${metadataFilter}. Only promotions whose tier metadata has this value are returned.`,
    { type: 'object', additionalProperties: { type: 'string' } },
  ),
];

function createParameter(name: string, description: string, schema: Members = { type: 'string' }): Members {
  // Some deployments read the brackets of filters only if they are not percent-encoded.
  return { name, in: 'query', allowReserved: true, style: 'form', explode: true, description, schema };
}

function createRequestBody(): Members {
  const { properties, $defs } = readSchema('request') as { properties: { body: object }; $defs: Members };
  const schema = JSON.parse(JSON.stringify(properties.body), (_, value) =>
    typeof getMember(value, '$ref') === 'string' ? $defs[value.$ref.replace('#/$defs/', '')] : value,
  );
  return { description: 'Documented on a GET.', content: { 'application/json': { schema } } };
}

function describeResponses(shown: readonly HttpResponse[], world: World): Members {
  const byStatus = [...groupBy(shown, ({ status }) => String(status))].filter(([status]) => /^[1-5]\d\d$/.test(status));
  if (byStatus.length === 0) return { default: { description: 'No response was seen.' } };
  const described = byStatus.sort().map(([status, responses]) => {
    const withBody = responses.filter(({ body }) => body !== '');
    const content = [...groupBy(withBody, getValidMediaType)].map(([type, alike]) => [type, inferSchema(alike, world)]);
    return [status, { description: 'As seen.', ...(content.length > 0 && { content: Object.fromEntries(content) }) }];
  });
  return Object.fromEntries(described);
}

function getValidMediaType(response: HttpResponse): string {
  const type = getMediaType(response);
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream';
}

/** The largest number of bodies from which a schema is inferred. More take longer and show little more. */
const maxBodies = 12;

function inferSchema(responses: readonly HttpResponse[], world: World): Members {
  // A cut body is no JSON.
  const whole = responses.filter(({ bodyLength }) => bodyLength === undefined).map(({ body }) => body);
  const shape = inferShape([...new Set(whole)].slice(0, maxBodies), getIdFinders(world)) ?? { type: 'string' };
  // Members that were not seen are allowed.
  const openMembers = (key: string, value: unknown) =>
    key === 'additionalProperties' && value === false ? undefined : value;
  return { schema: JSON.parse(JSON.stringify(shape, openMembers)) };
}
