import type { Certificate } from '../../certificate/certificate.js';
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
import { groupBy, renderShortList } from '../../support/collections.js';
import { getMember } from '../../support/json.js';
import { markdown } from '../../support/markdown.js';
import { readSchema } from '../../support/schema-validation.js';
import type { Output } from '../output.js';

type Members = Readonly<Record<string, unknown>>;

/** Renders the operation in OpenAPI 3.1. The text is the same if the target behaves the same. */
export default ((view) => {
  const { target, requirements, questions, suite } = view.certificate;
  const { path: urlPath, method } = documentedOperation;
  const responses = view.answers.flatMap(({ question, shown }) => {
    const isOfOperation = shown?.request.method === method && shown.request.path.split('?')[0] === urlPath;
    return isOfOperation ? [{ ...shown.response, question: question.id }] : [];
  });
  const answered = questions.flatMap(({ id, outcome }) => (outcome === null ? [] : [[id, outcome]]));
  return {
    comment: '# What the documentation says about the operation, and what this target did in the last run.\n',
    yaml: {
      openapi: '3.1.0',
      info: {
        title: `Promotion validation, as observed at ${target.name}`,
        version: target.version ?? 'v1',
        description:
          markdown`The request is as documented. The responses, and what the documentation leaves open, are as ${suite.name} ${suite.version} saw them. Responses may have members that were not seen.`
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
            responses: describeResponses(responses, view.suite.world),
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

const metadataFilter = `\`${renderFilterParameter({ on: 'metadata', key: 'KEY' })}\``;
const parameters: readonly Members[] = [
  {
    name: audienceParameter,
    description: 'Sent as true in one sample; its effect is not documented.',
    schema: { type: 'boolean' },
  },
  {
    name: renderFilterParameter({ on: 'campaign' }),
    description: 'The id of a campaign: only its promotions are returned.',
    schema: { type: 'string' },
  },
  {
    name: 'metadataFilters',
    description: `A parameter for each metadata key: ${metadataFilter}. Only promotions whose tier metadata has this value are returned.`,
    schema: { type: 'object', additionalProperties: { type: 'string' } },
    style: 'form',
    explode: true,
  },
  // Some deployments read the brackets of filters only if they are not percent-encoded.
].map((parameter) => ({ in: 'query', required: false, allowReserved: true, ...parameter }));

function createRequestBody(): Members {
  const { properties, $defs } = readSchema('request') as { properties: { body: object }; $defs: Members };
  const schema = JSON.parse(JSON.stringify(properties.body), (_, value) =>
    typeof getMember(value, '$ref') === 'string' ? $defs[value.$ref.replace('#/$defs/', '')] : value,
  );
  const description = 'JSON, which the documentation sends on a GET.';
  return { required: false, description, content: { 'application/json': { schema } } };
}

interface ShownResponse extends HttpResponse {
  readonly question: string;
}

function describeResponses(shown: readonly ShownResponse[], world: World): Members {
  const valid = shown.filter(({ status }) => status >= 100 && status < 600);
  if (valid.length === 0) return { default: { description: 'No response was seen.' } };
  const byStatus = groupBy(valid, ({ status }) => String(status));
  const described = [...byStatus].sort().map(([status, responses]) => {
    const description = `Seen for ${renderShortList(responses.map(({ question }) => `\`${question}\``))}.`;
    const withBody = responses.filter(({ body }) => body !== '');
    const content = [...groupBy(withBody, getValidMediaType)].map(([type, alike]) => [type, inferSchema(alike, world)]);
    return [status, { description, ...(content.length > 0 && { content: Object.fromEntries(content) }) }];
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
