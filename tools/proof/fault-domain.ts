/**
 * The fault domain: each decision that the reference deployment makes, and each way in which it can go wrong. The default run
 * must find every single one of these faults that a documented request can show. Nothing here is a list of faults: decisions
 * and ways come from `places/` and `mistakes/`, and a test refuses a handler or a part of a request that none of them is about.
 */

import { completeBehaviours } from '../../reference/deployment/behaviours.js';
import { createCatalogue } from '../../reference/deployment/catalogue.js';
import { createHandlers } from '../../reference/deployment/deployment.js';
import type { DeploymentFacts, Handlers } from '../../reference/deployment/handlers.js';
import type { ParsedRequest } from '../../reference/deployment/parsed-request.js';
import type { Fault } from '../../reference/faults/fault.js';
import type { World } from '../../src/contract/world.js';
import { groupBy } from '../../src/support/collections.js';
import { combineAll, type DecisionKind, decisionKinds, type GeneratedFault } from './generated-faults.js';
import { inProcessCredentials } from './judge-deployment.js';
import { faultsWithStories } from './list-faults.js';

/** A decision, and how many ways of going wrong it has, by what a run can show of them. */
export interface Decision {
  readonly id: string;
  readonly what: string;
  readonly ways: number;
  /** Those that the default run must find. */
  readonly visible: number;
  /** A question leaves them open. */
  readonly open: number;
  /** No documented request shows them. */
  readonly equivalent: number;
  /** A documented request shows them, and the suite does not send it. */
  readonly unasked: number;
}

/** The decisions of one kind, and the ways in which such a decision goes wrong. */
export interface DecisionFamily {
  readonly kind: DecisionKind;
  readonly what: string;
  readonly decisions: readonly Decision[];
  readonly ways: readonly string[];
}

/** Lists all decisions by kind. */
export function listDecisionFamilies(faults: readonly GeneratedFault[] = combineAll()): DecisionFamily[] {
  const byKind = groupBy(faults, ({ kind }) => kind);
  return [...byKind].map(([kind, ofKind]) => ({
    kind,
    what: decisionKinds[kind],
    decisions: [...groupBy(ofKind, ({ place }) => place).values()].map(describeDecision),
    ways: [...new Set(ofKind.map(({ way }) => way))],
  }));
}

function describeDecision(faults: readonly GeneratedFault[]): Decision {
  const [{ place, decision }] = faults as [GeneratedFault];
  const count = (is: string | undefined) => faults.filter(({ invisibility }) => invisibility?.is === is).length;
  return {
    id: place,
    what: decision,
    ways: faults.length,
    visible: count(undefined),
    open: count('open'),
    equivalent: count('not-visible'),
    unasked: count('undetected'),
  };
}

/** A class of faults that no run finds, and why. */
export interface UnseenClass {
  readonly is: 'open' | 'not-visible' | 'undetected';
  /** The question that leaves them open, or the reason. */
  readonly why: string;
  readonly faults: number;
}

/** Names the classes of faults that no run finds, in the order of their kinds. */
export function listUnseenClasses(faults: readonly GeneratedFault[] = combineAll()): UnseenClass[] {
  const classes = new Map<string, UnseenClass>();
  for (const { invisibility } of faults) {
    if (invisibility === undefined) continue;
    const why = invisibility.is === 'open' ? invisibility.question : invisibility.reason;
    const known = classes.get(`${invisibility.is} ${why}`)?.faults ?? 0;
    classes.set(`${invisibility.is} ${why}`, { is: invisibility.is, why, faults: known + 1 });
  }
  return [...classes.values()];
}

/** Handlers that no fault replaces, and why: what they decide goes wrong elsewhere, or is open. */
export const handlersWithoutFaults: Partial<Record<keyof Handlers, string>> = {
  itemsOf: 'A list of items is walked as it is (`items`). Whether there is one, and a value in its place, is open.',
  tally:
    'It gathers quantities by id. How they are compared, read and added up goes wrong in `product-id`, `sku-id`, `repeated-product` and `repeated-sku`.',
  holds: 'It calls the handler of each kind of rule, which goes wrong in its place.',
  validity: 'It asks for the rules of each tier (`rules`). What audienceRulesOnly changes is open.',
  arrange: 'The order of the result is open.',
  list: 'The shape of a response is open. What is listed goes wrong in `valid-tiers` and `result`.',
  present: 'What an empty result looks like is open.',
  refused: 'What an error looks like is open.',
  end: 'It passes a response on.',
};

/**
 * Where each part of a request may outlive it: in a variable (`kept-…`) or under the key of a cache (`…-by-…`). A part whose
 * effect is open has a reason instead.
 */
export const placesOfParts: Readonly<Record<keyof ParsedRequest, readonly string[] | { readonly reason: string }>> = {
  customer: ['kept-customer', 'cached-results-by-customer'],
  lines: ['kept-items', 'kept-quantities', 'cached-results-by-items', 'cached-results-by-quantities'],
  tally: { reason: 'It is computed from the lines.' },
  orderMetadata: ['kept-order-metadata', 'cached-results-by-order-metadata'],
  metadata: ['kept-metadata', 'kept-metadata-values', 'cached-results-by-metadata'],
  expand: ['cached-results-by-expand'],
  filters: ['kept-campaign-filter', 'kept-metadata-filter', 'kept-filter-value', 'cached-results-by-filters'],
  audienceRulesOnly: { reason: 'Its effect is open.' },
  turn: { reason: 'Only a deployment that answers a repeated request otherwise reads it.' },
};

/** The decisions and the faults with stories that replace a handler. */
export interface HandlerFaults {
  readonly handler: keyof Handlers;
  readonly decisions: readonly string[];
  readonly faults: number;
}

/** Kinds that put the mistakes of others into a branch: they replace the handlers that read a request, too. */
const kindsOfBranches: readonly DecisionKind[] = ['branch', 'customer'];

/** Finds out which decisions and faults replace each handler, by making each change. */
export function listFaultsByHandler(world: World): HandlerFaults[] {
  const facts: DeploymentFacts = {
    catalogue: createCatalogue(world),
    credentials: inProcessCredentials,
    behaviours: completeBehaviours({}),
  };
  const handlers: Handlers = createHandlers(facts, () => handlers);
  const names = Object.keys(handlers) as (keyof Handlers)[];
  const replaces = ({ change }: Fault, name: keyof Handlers) => Object.hasOwn(change(handlers, facts), name);
  const generated = combineAll().filter(({ kind }) => !kindsOfBranches.includes(kind));
  return names.map((handler) => ({
    handler,
    decisions: [...new Set(generated.flatMap((fault) => (replaces(fault, handler) ? fault.place : [])))],
    faults: faultsWithStories.filter((fault) => replaces(fault, handler)).length,
  }));
}
