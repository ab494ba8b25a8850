import { audienceParameter, parseFilterParameter } from '../../contract/operation.js';
import { createOracle } from '../../contract/oracle.js';
import type { HttpRequest } from '../../http/exchange.js';
import { parseRequest } from '../../http/request-content.js';
import { getMember } from '../../support/json.js';
import type { World } from '../../world/world.js';

/** What callers ask for, with words for people. A request has the first kind that fits. */
export const requestKinds = {
  undocumented: 'requests that the documentation does not describe',
  'both-filters': 'requests with both filters',
  'filter-by-campaign': 'requests with a filter by campaign',
  'filter-by-metadata': 'requests with a filter by metadata',
  'audience-rules-only': 'requests with audienceRulesOnly',
  expand: 'requests with options.expand',
  'without-customer': 'requests without a customer',
  'metadata-sent': 'requests with metadata',
  order: 'requests with a customer and an order',
} as const;

export type RequestKind = keyof typeof requestKinds;

/** Finds the kind of a request, as a case states it. */
export function classifyRequest(request: HttpRequest, world: World): RequestKind {
  if (createOracle(request, world).undocumentedReason !== undefined) return 'undocumented';
  const { query, body } = parseRequest(request);
  const filters = new Set(query.flatMap(([name]) => parseFilterParameter(name)?.on ?? []));
  if (filters.size > 1) return 'both-filters';
  if (filters.size === 1) return filters.has('campaign') ? 'filter-by-campaign' : 'filter-by-metadata';
  if (query.some(([name]) => name === audienceParameter)) return 'audience-rules-only';
  const isFilled = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (isFilled(getMember(getMember(body, 'options'), 'expand'))) return 'expand';
  if (getMember(getMember(body, 'customer'), 'id') === undefined) return 'without-customer';
  return isFilled(getMember(body, 'metadata')) ? 'metadata-sent' : 'order';
}
