import type { Tier, World } from '../contract/world.js';
import { serializeRequest } from '../http/exchange.js';
import { groupBy } from '../support/collections.js';
import type { CandidateRequest, FilterVariationGroup, FilterVariationKind } from './candidate-request.js';
import { listCandidateRequests } from './list-candidate-requests.js';
import { type CoverageGoal, listCoverageGoals } from './list-coverage-goals.js';
import { type RequestVariationKind, sizeVariations } from './request-variations.js';

/** The number of newest tiers that decide which requests are drawn. Whether older ones are returned is judged, too. */
const drawnTiers = 170;

/**
 * Draws requests for which the data of a deployment decides what must be returned. The same data gives the same requests.
 *
 * @param count of requests, at most
 * @returns orders, each followed by those that differ from it in one aspect
 */
export function drawRequests(world: World, count: number): CandidateRequest[] {
  const drawn = { ...world, tiers: world.tiers.slice(0, drawnTiers) };
  const chosen = choose(keepDistinct(listCandidateRequests(world, drawn)), drawn, count);
  const orders = chosen.filter(({ base }) => base === undefined);
  return orders.flatMap((order) => joinRepetitions([order, ...chosen.filter(({ base }) => base === order)]));
}

/** Puts equal requests next to each other: what a deployment keeps for the next request may be gone after another one. */
function joinRepetitions(candidates: readonly CandidateRequest[]): CandidateRequest[] {
  return [...groupBy(candidates, serializeContent).values()].flat();
}

/** The same for a request and its repetitions. */
function serializeContent({ request: { again: _, ...request } }: CandidateRequest): string {
  return serializeRequest(request);
}

/** Keeps the first of equal requests, but in the place of the last: of candidates that show as much, others are chosen before. */
function keepDistinct(candidates: readonly CandidateRequest[]): CandidateRequest[] {
  const distinct = new Map<string, CandidateRequest>();
  for (const candidate of candidates) {
    const key = serializeRequest(candidate.request);
    const first = distinct.get(key) ?? candidate;
    // An entry that is set again would keep its place.
    distinct.delete(key);
    distinct.set(key, first);
  }
  return [...distinct.values()];
}

/** Other requests are compared with an empty result, and some requirements or mistakes rest on one request alone. */
const needed: readonly ((candidate: CandidateRequest) => boolean)[] = [
  isFiltered('no-match', 'no-match'),
  isFiltered('many-matches', 'metadata'),
  isFilteredByTrue,
  isFiltered('exact', 'campaign', 'audience-first'),
  isFiltered('exact', 'metadata', 'audience-first'),
  isChanged('expand-added'),
  isChanged('order-metadata-added'),
  isChanged('audience-first'),
  isChanged('metadata-keys-replaced'),
  isChanged('metadata-keys-added'),
  isMetadataMoved('metadata-as-order-metadata'),
  isMetadataMoved('order-metadata-of-same-keys'),
  ...sizeVariations.map(({ title }) => isTitled(title)),
];

function isFiltered(kind: FilterVariationKind, group: FilterVariationGroup, changeKind?: RequestVariationKind) {
  return ({ filtering, change }: CandidateRequest) =>
    filtering?.kind === kind && filtering.group === group && change?.kind === changeKind;
}

/** The value of the documentation's sample: software may read it as a condition that many values meet. */
function isFilteredByTrue({ filtering, parts, change }: CandidateRequest): boolean {
  const [filter] = parts.filters ?? [];
  return filtering?.kind === 'near-miss' && filter?.value === 'true' && change === undefined;
}

function isChanged(kind: RequestVariationKind) {
  return ({ filtering, change }: CandidateRequest) => filtering === undefined && change?.kind === kind;
}

/** Metadata that decides is sent as order metadata, or beside other order metadata. */
function isMetadataMoved(kind: RequestVariationKind) {
  return (candidate: CandidateRequest) => {
    const { base, oracle } = candidate;
    const decides = ({ rules }: Tier) => rules.some((rule) => rule.kind === 'metadata');
    const isReturned = (tier: Tier) => base?.oracle.returned(tier) === 'required' && decides(tier);
    return isChanged(kind)(candidate) && base !== undefined && oracle.matched.some(isReturned);
  };
}

function isTitled(title: string) {
  return ({ filtering, change }: CandidateRequest) => filtering === undefined && change?.title === title;
}

/** Chooses the candidates that show most that no chosen one shows, one after the other, each with its order. */
function choose(candidates: readonly CandidateRequest[], drawn: World, count: number): CandidateRequest[] {
  const choice = new Choice(candidates, drawn);
  for (const isNeeded of needed) {
    const found = candidates.find(isNeeded);
    if (found !== undefined) choice.add(found);
  }
  const queue = candidates.map((candidate) => ({ candidate, rating: choice.rate(candidate) }));
  while (choice.size < count && queue.length > 0) {
    queue.sort((entry, next) => next.rating - entry.rating);
    const [best] = queue as [(typeof queue)[number]];
    const rating = choice.rate(best.candidate);
    // Ratings only fall: one that has not fallen is still the best.
    if (rating < best.rating) best.rating = rating;
    else {
      queue.shift();
      choice.add(best.candidate);
    }
  }
  return choice.list().slice(0, count);
}

/** The candidates that are chosen, and what they show together. */
class Choice {
  readonly #goals: ReadonlyMap<CandidateRequest, readonly CoverageGoal[]>;
  /** The candidates that repeat nothing, by their content. */
  readonly #plain: ReadonlyMap<string, CandidateRequest>;
  readonly #chosen = new Set<CandidateRequest>();
  readonly #shown = new Set<string>();

  constructor(candidates: readonly CandidateRequest[], drawn: World) {
    this.#goals = new Map(candidates.map((candidate) => [candidate, listCoverageGoals(candidate, drawn)]));
    const plain = candidates.filter(({ change }) => change?.kind !== 'repetition');
    this.#plain = new Map(plain.map((candidate) => [serializeContent(candidate), candidate]));
  }

  get size(): number {
    return this.#chosen.size;
  }

  /** Sums up what a candidate shows that no chosen one shows. */
  rate(candidate: CandidateRequest): number {
    let sum = 0;
    for (const { key, worth } of this.#goals.get(candidate) ?? []) if (!this.#shown.has(key)) sum += worth;
    return sum;
  }

  /** Adds a candidate, the order that it is compared with, and the request that it repeats. */
  add(candidate: CandidateRequest): void {
    const repeated = candidate.change?.kind === 'repetition' ? this.#plain.get(serializeContent(candidate)) : undefined;
    for (const added of [candidate.base ?? [], repeated ?? [], candidate].flat()) {
      this.#chosen.add(added);
      for (const { key } of this.#goals.get(added) ?? []) this.#shown.add(key);
    }
  }

  list(): CandidateRequest[] {
    return [...this.#chosen];
  }
}
