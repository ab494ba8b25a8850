import type { World } from '../../src/contract/world.js';
import type { Credentials } from '../../src/http/connection-options.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { createAuthenticationHandlers } from './authentication.js';
import { type Behaviours, completeBehaviours } from './behaviours.js';
import { createBodyHandlers } from './body.js';
import { createCatalogue } from './catalogue.js';
import { EarlyResponse } from './early-response.js';
import { createEligibilityHandlers } from './eligibility.js';
import { createFilterHandlers } from './filters.js';
import type { Change, DeploymentFacts, HandlerLookup, Handlers } from './handlers.js';
import { createOrderHandlers } from './order.js';
import { emptyRequest, type ParsedRequest, type Turn } from './parsed-request.js';
import { createQueryHandlers } from './query.js';
import { createResponseHandlers } from './response.js';
import { createResponseHeaders } from './response-headers.js';
import { createRoutingHandlers } from './routing.js';

export interface DeploymentOptions {
  readonly world: World;
  readonly credentials: Credentials;
  readonly behaviours?: Behaviours;
  /** Made to the deployment that does what the documentation says. */
  readonly change?: Change;
  /** Requirements to break, after that change. */
  readonly faults?: readonly { readonly change: Change }[];
}

/** Takes requests whose path is the whole path with the literal query string. */
export type Deployment = (request: HttpRequest) => HttpResponse;

/**
 * A deployment of the documented operation with a world.
 *
 * @throws an Error for a behaviour that does not exist
 */
export function createDeployment(options: DeploymentOptions): Deployment {
  const { world, credentials, change: first, faults = [] } = options;
  const behaviours = completeBehaviours(options.behaviours ?? {});
  const facts: DeploymentFacts = { catalogue: createCatalogue(world), credentials, behaviours };
  const changes = faults.map((fault) => fault.change);
  const documented = createHandlers(facts, () => handlers);
  const handlers = applyChanges(documented, first === undefined ? changes : [first, ...changes], facts);
  const parse = createParser(handlers, facts);
  const headersFor = createResponseHeaders(behaviours);

  return (request) => {
    const { status, headers, body } = responseTo(request, handlers, parse);
    return {
      status,
      headers: [...headers, ...headersFor(request)],
      body: request.method === 'HEAD' ? '' : body,
    };
  };
}

/** All handlers, as the documentation says, and the behaviours where it is silent. */
export function createHandlers(facts: DeploymentFacts, lookup: HandlerLookup): Handlers {
  return {
    ...createRoutingHandlers(facts),
    ...createAuthenticationHandlers(facts),
    ...createBodyHandlers(lookup, facts),
    ...createOrderHandlers(lookup, facts),
    ...createQueryHandlers(lookup, facts),
    ...createFilterHandlers(lookup, facts),
    ...createEligibilityHandlers(lookup, facts),
    ...createResponseHandlers(lookup, facts),
  };
}

/** Makes changes, each over those before. */
export function applyChanges(handlers: Handlers, changes: readonly Change[], facts: DeploymentFacts): Handlers {
  let changed = handlers;
  for (const change of changes) changed = { ...changed, ...change(changed, facts) };
  return changed;
}

/** @returns reads a whole request */
export function createParser(
  handlers: Handlers,
  { behaviours }: DeploymentFacts,
): (request: HttpRequest) => ParsedRequest {
  const turnOf = turns();
  return (request) => {
    const query = handlers.route(request);
    const parseBody = () => handlers.parseBody(handlers.readBody(request));
    const first = behaviours['credentials-before-body'] === 'body-first' ? parseBody() : undefined;
    handlers.authenticate(request.headers);
    const turn = behaviours.repeatability === 'identical' ? 'first' : turnOf(request);
    return { ...(first ?? parseBody()), ...handlers.readQuery(query), turn };
  };
}

/** A function that says whether the same request came an even number of times before. */
function turns(): (request: HttpRequest) => Turn {
  const odd = new Set<string>();
  return ({ method, path, body = '' }) => {
    const request = `${method} ${path}\n${body}`;
    if (odd.delete(request)) return 'second';
    odd.add(request);
    return 'first';
  };
}

function responseTo(
  request: HttpRequest,
  handlers: Handlers,
  parse: (request: HttpRequest) => ParsedRequest,
): HttpResponse {
  try {
    const parsed = parse(request);
    return handlers.present(handlers.page(handlers.arrange(handlers.select(parsed))), parsed);
  } catch (early) {
    if (!(early instanceof EarlyResponse)) throw early;
    const { content, question } = early;
    const response = content === 'no-promotions' ? handlers.list([], emptyRequest) : handlers.refused(content);
    return handlers.end(response, question);
  }
}
