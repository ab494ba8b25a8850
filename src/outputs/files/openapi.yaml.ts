import {
  audienceParameter,
  credentialHeaders,
  documentedOperation,
  renderFilterParameter,
} from '../../contract/operation.js';
import type { World } from '../../contract/world.js';
import type { HttpResponse } from '../../http/exchange.js';
import { getMediaType } from '../../http/response-status.js';
import { getIdFinders } from '../../recognition/id-finders.js';
import { inferShape } from '../../record/body-shape.js';
import { groupBy } from '../../support/collections.js';
import { getMember } from '../../support/json.js';
import { readSchema } from '../../support/schema-validation.js';
import type { OutputRenderer } from '../output.js';

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
  const metadataFilter = `\`${renderFilterParameter({ on: 'metadata', key: 'KEY' })}\``;
  return {
    view: {
      title: `Promotion validation, as observed at ${target.name}`,
      version: target.version ?? 'v1',
      // The reference deployment has another port in each run.
      url: target.is_reference ? 'http://127.0.0.1:8080' : target.base_url,
      path: urlPath,
      method: method.toLowerCase(),
      description: ['The documentation says:', '', ...statements].join('\n'),
      observed: Object.fromEntries(questions.flatMap(({ id, outcome }) => (outcome === null ? [] : [[id, outcome]]))),
      audienceParameter,
      campaignFilter: renderFilterParameter({ on: 'campaign' }),
      metadataFilters: `A parameter for each metadata key: ${metadataFilter}. Only promotions whose tier metadata has this value are returned.`,
      body: createBodySchema(),
      responses: describeResponses(responses, suite.world),
      credentials: credentialHeaders,
    },
  };
}) satisfies OutputRenderer;

function createBodySchema(): Members {
  const { properties, $defs } = readSchema('internal/request') as { properties: { body: object }; $defs: Members };
  return JSON.parse(JSON.stringify(properties.body), (_, value) =>
    typeof getMember(value, '$ref') === 'string' ? $defs[value.$ref.replace('#/$defs/', '')] : value,
  );
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

function inferSchema(responses: readonly HttpResponse[], world: World): Members {
  const bodies = responses.map(({ body }) => body);
  const shape = inferShape(bodies, getIdFinders(world)) ?? { type: 'string' };
  // Members that were not seen are allowed.
  const openMembers = (key: string, value: unknown) =>
    key === 'additionalProperties' && value === false ? undefined : value;
  return { schema: JSON.parse(JSON.stringify(shape, openMembers)) };
}
