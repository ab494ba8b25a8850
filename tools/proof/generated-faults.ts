import type { Change, DeploymentFacts, Handlers } from '../../reference/deployment/handlers.js';
import { isObject, type Members } from '../../reference/deployment/json.js';
import type { ParsedQuery } from '../../reference/deployment/parsed-request.js';
import type { Fault, Requirement } from '../../reference/faults/fault.js';
import { computeOnce } from '../../src/support/caches.js';
import {
  branchMistakes,
  type Condition,
  conditions,
  customerMistakes,
  type Loss,
  severalRulesMistakes,
} from './mistakes/branch.js';
import { bodyMistakes, queryMistakes } from './mistakes/bytes.js';
import { keyMistakes as cacheKeyMistakes, entryMistakes } from './mistakes/cache-keys.js';
import { findInvisibility, type Invisibility } from './mistakes/find-invisibility.js';
import { listMistakes } from './mistakes/list.js';
import { memberMistakes } from './mistakes/member.js';
import type { Mistake } from './mistakes/mistake.js';
import { quantityMistakes, quantitySumMistakes, thresholdMistakes } from './mistakes/number.js';
import { pageMistakes, windowMistakes } from './mistakes/order-and-cut.js';
import { stateMistakes } from './mistakes/state.js';
import { isExactForIds, keyMistakes, textMistakes, valueMistakes } from './mistakes/text.js';
import { entryKeyPlaces, listKeyPlaces } from './places/key-places.js';
import { memberPlaces } from './places/member-places.js';
import {
  bodyPlaces,
  listPlaces,
  type Place,
  pagePlaces,
  quantityPlaces,
  queryPlaces,
  statePlaces,
  sumPlaces,
  textPlaces,
  thresholdPlaces,
  windowPlaces,
} from './places/places.js';
import { isStructuralDouble } from './structural-doubles.js';

/** The kinds of decisions that an implementation makes, and what is decided. */
export const decisionKinds = {
  text: 'two texts are compared',
  quantity: 'a quantity is read',
  threshold: 'a quantity is compared with a threshold',
  sum: 'quantities are added up',
  list: 'a list is walked',
  window: 'the newest are taken',
  page: 'the result is listed',
  branch: 'a kind of request has a branch of its own',
  customer: 'a part of the customers has a branch of its own',
  state: 'a part of a request may outlive it',
  'cache key': 'a cache has a key',
  member: 'a member is read beside another one',
  body: 'bytes become a body',
  query: 'bytes become a query',
} as const;

export type DecisionKind = keyof typeof decisionKinds;

/** A mistake made at a place. */
export interface GeneratedFault extends Fault {
  readonly kind: DecisionKind;
  readonly place: string;
  /** What is decided there. */
  readonly decision: string;
  readonly mistake: string;
  /** How the decision goes wrong. */
  readonly way: string;
  /** Why no run shows it; undefined when a run must catch it. */
  readonly invisibility: Invisibility | undefined;
}

/** Every mistake at every place. */
function combine<Plug>(
  kind: DecisionKind,
  places: readonly Place<Plug>[],
  mistakes: readonly Mistake<Plug>[],
  hasState = false,
): GeneratedFault[] {
  return places.flatMap((place) =>
    mistakes.map(({ id, story, plug }) => ({
      id: `${place.id}/${id}`,
      kind,
      place: place.id,
      decision: place.what,
      mistake: id,
      way: story,
      breaks: place.breaks,
      story: `${place.what}: ${story}`,
      change: place.plug(plug),
      hasState,
      invisibility: findInvisibility(place.id, id),
    })),
  );
}

/** The questions about the ids at each place. */
const questionsOfUnknownIds: Readonly<Record<string, string>> = {
  'customer-id': 'unknown-customer',
  'product-id': 'unknown-product',
  'sku-id': 'unknown-sku',
  'campaign-id': 'filter-unknown-campaign',
};

function combineTexts(): GeneratedFault[] {
  return textPlaces.flatMap((place) => {
    const isId = place.id.endsWith('-id');
    const more = place.id.endsWith('-key') ? keyMistakes : isId ? [] : valueMistakes;
    const mistakes = [...textMistakes, ...more];
    const exact = isId ? mistakes.filter(({ plug }) => isExactForIds(plug)) : [];
    const inexact = mistakes.filter((mistake) => !exact.includes(mistake));
    // Such a mistake shows only for an id that is like another. It is the id of nothing, and ids of the world are random.
    const question = questionsOfUnknownIds[place.id] ?? '';
    return [
      ...combine('text', [place], inexact),
      ...combine('text', [place], exact).map((fault) => ({
        ...fault,
        invisibility: { is: 'open', question } as const,
      })),
    ];
  });
}

function inBranch(
  isMeant: (members: Members, query: ParsedQuery, facts: DeploymentFacts) => boolean,
  { change }: Loss,
): Change {
  return (handlers, facts) => {
    let members: Members = {};
    let query: ParsedQuery = { filters: [], audienceRulesOnly: false };
    const isTaken = () => isMeant(members, query, facts);
    const changed = Object.entries(change(handlers)).map(([name, handler]) => {
      const usual = handlers[name as keyof Handlers] as (...args: unknown[]) => unknown;
      const changed = handler as (...args: unknown[]) => unknown;
      return [name, (...args: unknown[]) => (isTaken() ? changed(...args) : usual(...args))];
    });
    return {
      ...Object.fromEntries(changed),
      route(request) {
        const text = handlers.route(request);
        query = handlers.readQuery(text);
        return text;
      },
      readBody(request) {
        const body = handlers.readBody(request);
        members = body.kind === 'object' ? body.members : {};
        return body;
      },
    };
  };
}

/** Members that the suite sends beside each open part of a request. */
const axesBesideOpen: readonly string[] = ['order metadata', 'options', 'metadata', 'filters'];

/**
 * Whether requests of the suite meet two conditions. A part of a request is left open alone: a deployment that refuses it
 * would hide a second one.
 */
function canMeet(left: Condition, right: Condition): boolean {
  if (left.axis === right.axis) return false;
  if (left.question === undefined && right.question === undefined) return !(left.excludes?.includes(right.id) ?? false);
  if (left.question !== undefined && right.question !== undefined) return false;
  const [open, documented] = left.question === undefined ? [right, left] : [left, right];
  return axesBesideOpen.includes(documented.axis) && !(open.excludes?.includes(documented.id) ?? false);
}

function combineBranches(): GeneratedFault[] {
  const pairs = conditions.flatMap((left, at) =>
    conditions.slice(at + 1).flatMap((right) => (canMeet(left, right) ? [[left, right]] : [])),
  );
  return [...conditions.map((condition) => [condition]), ...pairs].flatMap((met) => {
    const place = `requests-${met.map(({ id }) => id).join('-and-')}`;
    const decision = `Requests ${met.map(({ what }) => what).join(' and ')} have a branch of their own`;
    const isDocumented = met.length === 1 && met[0]?.question === undefined;
    const mistakes = isDocumented ? [...branchMistakes, ...severalRulesMistakes] : branchMistakes;
    return mistakes.map(({ id, story, plug }) => ({
      id: `${place}/${id}`,
      kind: 'branch',
      place,
      decision,
      mistake: id,
      way: story,
      breaks: plug.breaks as Requirement,
      story: `${decision}: ${story}`,
      change: inBranch((members, query) => met.every((condition) => condition.isMet(members, query)), plug),
      invisibility: findInvisibility(place, id),
    }));
  });
}

/** A part of the customers, such as one in eight by a hash of their ids, is served by another version. */
function combineCustomers(): GeneratedFault[] {
  return Array.from({ length: 5 }, (_, at) => at).flatMap((at) => {
    const place = `requests-of-customer-${at + 1}`;
    const decision = `Customers whose ids have the hash of customer ${at + 1} are served by another version`;
    return [...branchMistakes, ...customerMistakes].map(
      ({ id, story, plug }): GeneratedFault => ({
        id: `${place}/${id}`,
        kind: 'customer',
        place,
        decision,
        mistake: id,
        way: story,
        breaks: plug.breaks as Requirement,
        story: `${decision}: ${story}`,
        change: inBranch(
          ({ customer }, _, { catalogue }) => isObject(customer) && customer.id === [...catalogue.customers][at],
          plug,
        ),
        invisibility: findInvisibility(place, id),
      }),
    );
  });
}

/** Every mistake at every place of its kind. */
export const combineAll = computeOnce((): readonly GeneratedFault[] => [
  ...combineTexts(),
  ...combine('quantity', quantityPlaces, quantityMistakes),
  ...combine('threshold', thresholdPlaces, thresholdMistakes),
  ...combine('sum', sumPlaces, quantitySumMistakes),
  ...combine('list', listPlaces, listMistakes),
  ...combine('window', windowPlaces, windowMistakes),
  ...combine('page', pagePlaces, pageMistakes),
  ...combineBranches(),
  ...combineCustomers(),
  ...combine('state', statePlaces, stateMistakes, true),
  ...combine('cache key', listKeyPlaces('id'), cacheKeyMistakes.id, true),
  ...combine('cache key', listKeyPlaces('quantity'), cacheKeyMistakes.quantity, true),
  ...combine('cache key', listKeyPlaces('text'), cacheKeyMistakes.text, true),
  ...combine('cache key', listKeyPlaces('list'), cacheKeyMistakes.list, true),
  ...combine('cache key', listKeyPlaces('whole'), cacheKeyMistakes.whole, true),
  ...combine('cache key', entryKeyPlaces, entryMistakes, true),
  ...combine('member', memberPlaces, memberMistakes),
  ...combine('body', bodyPlaces, bodyMistakes),
  ...combine('query', queryPlaces, queryMistakes),
]);

/** The mistakes at places that are no fault of `reference/faults/` already. */
export const listGeneratedFaults = computeOnce(() => combineAll().filter(({ id }) => !isStructuralDouble(id)));
