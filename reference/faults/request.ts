import type { Tier } from '../../src/contract/world.js';
import { refuse } from '../deployment/early-response.js';
import type { Handlers } from '../deployment/handlers.js';
import type { Fault, Requirement } from './fault.js';
import { remember } from './remember.js';

/** Every request is refused, by a handler that each of them passes. */
function refusalOfAll(
  id: string,
  breaks: Requirement,
  story: string,
  refusing: (refuseIt: () => never) => Partial<Handlers>,
  status: number,
): Fault {
  return {
    id,
    breaks,
    story,
    change: () => refusing(() => refuse(status, 'request: not accepted')),
  };
}

export const bodyOfTheFirstRequest = {
  id: 'body-of-the-first-request',
  breaks: 'request.get-with-body',
  story: 'A cache in front of the service does not look at the bodies of GET requests.',
  sentence: 'Requests that differ in the body alone get one answer: a cache that ignores the body of GET.',
  hasState: true,
  change: (handlers: Handlers) => ({ readBody: remember(handlers.readBody, ({ path }) => path) }),
} satisfies Fault;

const bodies: readonly Fault[] = [
  refusalOfAll(
    'get-not-allowed',
    'request.get-with-body',
    'As there is a body, the operation is offered for POST alone.',
    (route) => ({ route }),
    405,
  ),
  refusalOfAll(
    'get-not-found',
    'request.get-with-body',
    'The route is registered under another path.',
    (route) => ({ route }),
    404,
  ),
  bodyOfTheFirstRequest,
];

const headers: readonly Fault[] = [
  refusalOfAll(
    'json-unsupported',
    'request.content-type',
    'The parser is registered for the vendor’s own media type alone.',
    (readsMediaType) => ({ readsMediaType }),
    415,
  ),
  refusalOfAll(
    'json-without-charset-refused',
    'request.content-type',
    'The header must say application/json; charset=utf-8, letter by letter.',
    (readsMediaType) => ({ readsMediaType }),
    400,
  ),
  refusalOfAll(
    'credentials-not-found',
    'request.credentials',
    'The two credential headers are swapped, so that the application is not found.',
    (authenticate) => ({ authenticate }),
    404,
  ),
  refusalOfAll(
    'credentials-crash',
    'request.credentials',
    'The look-up of the token throws, and nobody catches it.',
    (authenticate) => ({ authenticate }),
    500,
  ),
];

const options: readonly Fault[] = [
  {
    id: 'expand-refused',
    breaks: 'options.expand-category',
    story: '"category" is not among the values of expand.',
    change: (handlers) => ({ expandOf: (members) => refuseSome(handlers.expandOf(members), 400) }),
  },
  {
    id: 'expand-refused-with-metadata',
    breaks: 'options.expand-category',
    story: 'Options and metadata are taken for alternatives.',
    change: (handlers) => ({
      expandOf(members) {
        const { metadata } = members;
        const isSent = typeof metadata === 'object' && metadata !== null && Object.keys(metadata).length > 0;
        return isSent ? refuseSome(handlers.expandOf(members), 400) : handlers.expandOf(members);
      },
    }),
  },
  {
    id: 'expand-crashes',
    breaks: 'options.expand-category',
    story: 'A campaign without categories is not thought of.',
    change: (handlers) => ({ expandOf: (members) => refuseSome(handlers.expandOf(members), 500) }),
  },
  {
    id: 'expand-keeps-one-tier-per-category',
    breaks: 'options.expand-category',
    story: 'The tiers are joined with their categories, and duplicates are taken out by the wrong column.',
    change: (handlers, { catalogue }) => ({
      select(request) {
        const categoryOf = ({ campaign_id }: Tier) => catalogue.campaigns.get(campaign_id)?.category_ids[0];
        const tiers = handlers.select(request);
        if (request.expand.length === 0) return tiers;
        return tiers.filter((tier, n) => tiers.findIndex((found) => categoryOf(found) === categoryOf(tier)) === n);
      },
    }),
  },
  {
    id: 'audience-rules-only-refused',
    breaks: 'query.audience-rules-only',
    story: 'The parameter must be a boolean, and "true" is a string.',
    change: () => ({ readAudienceRulesOnly: (values) => refuseSome(values, 400).length > 0 }),
  },
  {
    id: 'audience-rules-only-crashes',
    breaks: 'query.audience-rules-only',
    story: 'The branch for audience rules was never finished.',
    change: () => ({ readAudienceRulesOnly: (values) => refuseSome(values, 500).length > 0 }),
  },
];

function refuseSome(values: readonly string[], status: number): readonly string[] {
  return values.length === 0 ? values : refuse(status, 'request: not accepted');
}

/** How a request is to look. */
export const requestFaults: readonly Fault[] = [...bodies, ...headers, ...options];
