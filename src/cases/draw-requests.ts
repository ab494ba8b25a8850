import type { World } from '../contract/world.js';
import { serializeRequest } from '../http/exchange.js';
import { type Candidate, listCandidates, nothingMatches } from './draw-candidates.js';
import { listExercises } from './exercises.js';
import { rateAwkwardness } from './near-texts.js';

/** The number of newest tiers that decide which requests are drawn. Whether older ones are returned is judged, too. */
const drawnTiers = 200;

/** How much a request is worth that shows something for the first time. */
const worth = {
  /** That the tier is returned. */
  tier: 10,
  /** What one of its rules, a filter or the window does. */
  decision: 6,
  /** What a kind of variation does for a requirement. */
  variation: 8,
  /** The same for a kind of filter: no other variation shows how its name and value are read. */
  filter: 24,
  /** The same for each tier. */
  variationOfTier: 0.1,
  /** Two properties of requests together; and those that decide how a request is read. */
  pair: 0.4,
  reading: 40,
};

/**
 * Draws requests for which the data of a deployment decides what must be returned. The same data gives the same requests.
 *
 * @param count of requests, at most
 * @returns bases, each followed by those that differ from it in one aspect
 */
export function drawRequests(world: World, count: number): Candidate[] {
  const drawn = { ...world, tiers: world.tiers.slice(0, drawnTiers) };
  const candidates = removeRepeated(listCandidates(world, drawn));
  const values: number[] = [];
  const ids = new Map<string, number>();
  const features = new Map(
    candidates.map((candidate) => [
      candidate,
      [...new Map(listFeatures(candidate, drawn))].map(([feature, value]) => {
        const id = ids.get(feature) ?? ids.size;
        ids.set(feature, id);
        values[id] = Math.max(values[id] ?? 0, value);
        return id;
      }),
    ]),
  );
  const shown = new Set<number>();
  const rate = (candidate: Candidate): number =>
    (features.get(candidate) ?? []).reduce((sum, id) => sum + (shown.has(id) ? 0 : (values[id] ?? 0)), 0);
  const chosen = new Set<Candidate>();
  const choose = (candidate: Candidate): void => {
    chosen.add(candidate);
    for (const id of features.get(candidate) ?? []) shown.add(id);
  };
  // Other requests are compared with an empty result, and some requirements rest on one variation alone.
  for (const needed of [nothingMatches, 'options.expand', 'order metadata', 'audienceRulesOnly']) {
    const found = candidates.find(({ variation }) => variation === needed);
    if (found?.base !== undefined) for (const candidate of [found.base, found]) choose(candidate);
  }
  // The worth of a candidate only shrinks, so the best one of an old order is often still the best.
  let queue = candidates.map((candidate) => ({ candidate, value: rate(candidate) }));
  while (chosen.size < count && queue.length > 0) {
    queue.sort((entry, next) => next.value - entry.value);
    const [first, second] = queue as [(typeof queue)[number], (typeof queue)[number]?];
    first.value = rate(first.candidate);
    if (second !== undefined && first.value < second.value) continue;
    queue = queue.slice(1);
    const { base } = first.candidate;
    const isLone = base === undefined || chosen.has(base);
    if (!isLone && chosen.size + 2 > count) continue;
    if (!isLone) choose(base);
    if (!chosen.has(first.candidate)) choose(first.candidate);
  }
  const bases = candidates.filter((candidate) => candidate.base === undefined && chosen.has(candidate));
  return bases.flatMap((base) => {
    const variants = [...chosen].filter((candidate) => candidate.base === base);
    const [filtered, plain] = [true, false].map((isFiltered) =>
      variants.filter(
        ({ contents }) => (contents.filters !== undefined) === isFiltered && contents.again === undefined,
      ),
    ) as [Candidate[], Candidate[]];
    // What a deployment keeps of a request shows in the next one.
    const mixed = Array.from({ length: Math.max(filtered.length, plain.length) }, (_, n) => [
      ...filtered.slice(n, n + 1),
      ...plain.slice(n, n + 1),
    ]);
    return [base, ...mixed.flat(), ...variants.filter(({ contents }) => contents.again !== undefined)];
  });
}

/** Keeps the first of equal requests. A base stays, since others refer to it. */
function removeRepeated(candidates: readonly Candidate[]): Candidate[] {
  const known = new Set<string>();
  return candidates.filter(({ request, base }) => {
    const text = serializeRequest(request);
    const isNew = !known.has(text);
    known.add(text);
    return isNew || base === undefined;
  });
}

/** Lists what a request shows, with its worth. */
function* listFeatures(candidate: Candidate, { tiers }: World): Generator<[feature: string, value: number]> {
  const { oracle, contents, variation } = candidate;
  const kind = variation.replace(/\d+/g, 'n');
  // What rules decide does not depend on filters.
  const [change = ''] = contents.filters === undefined ? [kind] : kind.split(', ').slice(1);
  for (const { tier, topic, expects, reason, decision, isAlone } of listExercises(tiers, oracle, candidate.request)) {
    const rule = reason.is === 'rule' ? reason.rule : undefined;
    const awkward = 1 + (rule?.kind === 'metadata' ? rateAwkwardness(rule.key) + rateAwkwardness(rule.is) : 0);
    if (expects === 'required') yield [`${tier.id} is returned`, worth.tier];
    const isFilter = reason.is === 'filter';
    const subject = `${topic} ${expects}`;
    if (isAlone) yield [`${subject} by ${isFilter ? kind : change}`, isFilter ? worth.filter : worth.variation];
    if (isFilter) {
      for (const { value, subject: filter } of contents.filters ?? []) {
        const key = filter.on === 'campaign' ? '' : filter.key;
        const isExact = variation.endsWith(' filter');
        yield [`${subject} ${key} ${value}`, isExact ? worth.decision + rateAwkwardness(value + key) : 2];
        yield [`${subject} ${key} by ${kind}`, 1];
      }
      continue;
    }
    yield [`${tier.id} ${decision} ${expects}`, expects === 'forbidden' ? worth.decision : 0.2];
    yield [`${tier.id} ${decision} ${expects} by ${change}`, awkward * worth.variationOfTier];
  }
  const readings = listReadings(candidate);
  const properties = [...readings, ...listProperties(candidate)];
  for (const [n, property] of properties.entries()) {
    const isReading = n < readings.length;
    if (isReading) yield [property, worth.reading];
    for (const [at, other] of properties.slice(n + 1).entries())
      yield [`${property} with ${other}`, n + 1 + at < readings.length ? worth.reading : worth.pair];
  }
}

/** Lists properties that decide how a deployment reads a request. */
function listReadings({ contents }: Candidate): string[] {
  const { filters = [], audienceRulesOnly = 'not sent', without = ['nothing'], sent = ['as usual'], again } = contents;
  return [
    `filters ${filters
      .map(({ subject }) => subject.on)
      .sort()
      .join(' and ')}`,
    `audienceRulesOnly ${audienceRulesOnly}`,
    `without ${without.join()}`,
    `sent ${sent.join()}`,
    `again ${again}`,
  ];
}

/** Lists properties of a request that may matter together. */
function listProperties({ contents, variation }: Candidate): string[] {
  const { items, metadata, orderMetadata, expand, customer } = contents;
  const count = (n: number) => (n > 2 ? 'several' : String(n));
  return [
    `customer ${customer}`,
    `${count(items.length)} items`,
    `${[...new Set(items.map(({ kind }) => kind))].join(' and ')} items`,
    `${count(metadata.length)} metadata`,
    `${count(orderMetadata.length)} order metadata`,
    `expand ${expand === true}`,
    `variation ${variation.split(',')[0]}`,
  ];
}
