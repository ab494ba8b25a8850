import type { World } from '../contract/world.js';
import { serializeRequest } from '../http/exchange.js';
import { type Candidate, filterKinds, listCandidates } from './draw-candidates.js';
import { listExercises } from './list-exercises.js';
import { rateAwkwardness } from './near-texts.js';

/** The number of newest tiers that decide which requests are drawn. Whether older ones are returned is judged, too. */
const drawnTiers = 170;

/** How much a request is worth that shows something for the first time. */
const worth = {
  /** What one requirement says: a tier is returned, or it is not. */
  topic: 100,
  /** How a kind of filter is read, with a change or without. */
  filter: 60,
  reading: 40,
  variedFilter: 20,
  tier: 60,
  /** What a kind of change does for a requirement. */
  change: 8,
  /** What one of the rules of a tier, a filter or the window does. */
  decision: 6,
  /** What a kind of change does for one of them. */
  decisionByChange: 0.1,
  /** Two properties of requests together. */
  pair: 0.4,
};

/**
 * Draws requests for which the data of a deployment decides what must be returned. The same data gives the same requests.
 *
 * @param count of requests, at most
 * @returns bases, each followed by those that differ from it in one aspect
 */
export function drawRequests(world: World, count: number): Candidate[] {
  const drawn = { ...world, tiers: world.tiers.slice(0, drawnTiers) };
  const listed = listCandidates(world, drawn).toReversed();
  // Of equal requests, the first one counts.
  const distinct = new Map(listed.map((candidate) => [serializeRequest(candidate.request), candidate]));
  const chosen = choose([...distinct.values()].toReversed(), drawn, count);
  const bases = chosen.filter(({ base }) => base === undefined);
  return bases.flatMap((base) => [base, ...chosen.filter((candidate) => candidate.base === base)]);
}

/** Other requests are compared with an empty result, and some requirements or mistakes rest on one request alone. */
const needed: readonly string[] = [
  filterKinds.unmatched,
  filterKinds.large,
  'options.expand',
  'order metadata',
  'audienceRulesOnly',
  'similar metadata keys',
  'similar metadata keys, too',
];

/** Chooses the candidates that show most that no chosen one shows, one after the other, each with its base. */
function choose(candidates: readonly Candidate[], drawn: World, count: number): Candidate[] {
  const shown = new Set<string>();
  const rate = (features: ReadonlyMap<string, number>) => {
    let sum = 0;
    for (const [feature, value] of features) if (!shown.has(feature)) sum += value;
    return sum;
  };
  const features = new Map(candidates.map((candidate) => [candidate, new Map(listFeatures(candidate, drawn))]));
  const chosen = new Set<Candidate>();
  const add = (candidate: Candidate) => {
    for (const added of [candidate.base ?? [], candidate].flat()) {
      chosen.add(added);
      for (const feature of features.get(added)?.keys() ?? []) shown.add(feature);
    }
  };
  for (const name of needed) {
    const found = candidates.find((candidate) => candidate.name === name);
    if (found !== undefined) add(found);
  }
  const queue = [...features].map(([candidate, listed]) => ({ candidate, listed, rating: rate(listed) }));
  while (chosen.size < count && queue.length > 0) {
    queue.sort((entry, next) => next.rating - entry.rating);
    const [best] = queue as [(typeof queue)[number]];
    const rating = rate(best.listed);
    // Ratings only fall: one that has not fallen is still the best.
    if (rating < best.rating) best.rating = rating;
    else {
      queue.shift();
      add(best.candidate);
    }
  }
  return [...chosen].slice(0, count);
}

function* listFeatures(candidate: Candidate, { tiers }: World): Generator<[feature: string, value: number]> {
  const { oracle, contents, request, filter, change, base } = candidate;
  const { filters = [], customer, items, metadata, orderMetadata, expand } = contents;
  const isExact = filter.endsWith(' filter');
  // Most tiers show what another one shows.
  const seen = new Set<string>();
  const isFirst = (what: string) => !seen.has(what) && seen.add(what).size > 0;
  const exercises = listExercises(tiers, oracle, request, base === undefined || filter !== '');
  for (const { tier, topic, expects, reason, decision, isAlone } of exercises) {
    if (expects === 'required' && base === undefined) yield [`${tier.id} is returned`, worth.tier];
    const shown = `${topic} ${expects}`;
    if (reason.is === 'filter') {
      // A near miss shows something of the tiers that it nearly selects.
      const [{ subject, nearTo } = {}] = filters;
      if (subject?.on === 'metadata' && nearTo !== undefined && tier.metadata[subject.key] !== nearTo) continue;
      if (!isFirst(`${shown} ${reason.value}`)) continue;
      yield change === '' ? [`${shown} by ${filter}`, worth.filter] : [`${shown}, ${change}`, worth.variedFilter];
      const text = JSON.stringify([reason.subject, reason.value]);
      yield [`${expects} ${text}`, isExact ? worth.decision + rateAwkwardness(text) : 2];
      yield [`${expects} ${text} by ${filter}`, 1];
    } else if (filter === '') {
      if (isAlone && isFirst(shown)) {
        yield [shown, worth.topic];
        yield [`${shown} by ${change}`, worth.change];
      }
      if (expects === 'required') continue;
      const text = reason.is === 'rule' && reason.rule.kind === 'metadata' ? reason.rule.key + reason.rule.is : '';
      yield [`${tier.id} ${decision}`, worth.decision];
      yield [`${tier.id} ${decision} by ${change}`, (1 + rateAwkwardness(text)) * worth.decisionByChange];
    }
  }
  const several = (n: number) => (n > 2 ? 'several' : String(n));
  const kind = filter.split(' ').slice(0, 2).join();
  const reading = /^(sent|without|again|audience)/.test(change) ? change : '';
  yield [`${kind} ${reading}`, worth.reading];
  if (/(filter|matches)$/.test(filter)) yield [`${filter} with expand ${expand === true}`, worth.filter];
  const properties = [
    `customer ${customer}`,
    `${several(items.length)} items`,
    `${[...new Set(items.map((item) => item.kind))].join(' and ')} items`,
    `${several(metadata.length)} metadata`,
    `${several(orderMetadata.length)} order metadata`,
    `expand ${expand === true}`,
    `filter ${filter}`,
    `change ${change}`,
  ];
  for (const [n, property] of properties.entries())
    for (const partner of properties.slice(n + 1)) yield [`${property} with ${partner}`, worth.pair];
}
