import { listExercises } from '../contract/find-topic.js';
import type { World } from '../contract/world.js';
import { serializeRequest } from '../http/exchange.js';
import { type Candidate, listCandidates, nothingMatches } from './draw-candidates.js';
import { rateAwkwardness } from './near-texts.js';

/** The number of newest tiers that decide which requests are drawn. Whether older ones are returned is judged, too. */
const drawnTiers = 170;

/** How much a request is worth that shows something for the first time. */
const worth = {
  /** That the tier is returned. */
  tier: 10,
  /** What one of its rules, a filter or the window does. */
  decision: 6,
  /** What a kind of variation does for a requirement. */
  variation: 8,
  /** The same for a kind of filter: no other variation shows how its name and value are read. And with a variation. */
  filter: 60,
  variedFilter: 20,
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
  const chosen = chooseCandidates(listCandidates(world, drawn), drawn, count);
  const bases = chosen.filter(({ base }) => base === undefined);
  return bases.flatMap((base) => [base, ...chosen.filter((candidate) => candidate.base === base)]);
}

/** Chooses the candidates that show most that no other one shows, one after the other. */
function chooseCandidates(listed: readonly Candidate[], drawn: World, count: number): Candidate[] {
  // Of equal requests, the first one counts.
  const candidates = new Map(listed.toReversed().map((candidate) => [serializeRequest(candidate.request), candidate]));
  // What a chosen candidate shows is worth nothing any more.
  const known = new Map<string, { worth: number }>();
  const features = new Map<Candidate, readonly { worth: number }[]>();
  for (const candidate of [...candidates.values()].toReversed()) {
    const shown = [...new Map(listFeatures(candidate, drawn))].map(([name, value]) => {
      const feature = known.get(name) ?? { worth: 0 };
      known.set(name, feature);
      feature.worth = Math.max(feature.worth, value);
      return feature;
    });
    features.set(candidate, shown);
  }
  const chosen: Candidate[] = [];
  const choose = (candidate: Candidate): void => {
    if (chosen.includes(candidate)) return;
    chosen.push(candidate);
    for (const feature of features.get(candidate) ?? []) feature.worth = 0;
    features.delete(candidate);
  };
  // Other requests are compared with an empty result, and some requirements or mistakes rest on one variation alone.
  const manyMatches = 'a metadata filter with many matches';
  for (const needed of [nothingMatches, 'options.expand', 'order metadata', 'audienceRulesOnly', manyMatches]) {
    const found = listed.find(({ variation }) => variation === needed);
    if (found?.base !== undefined) for (const candidate of [found.base, found]) choose(candidate);
  }
  while (chosen.length < count && features.size > 0) {
    let [best, most] = [listed[0] as Candidate, -1];
    for (const [candidate, shown] of features) {
      const left = shown.reduce((sum, feature) => sum + feature.worth, 0);
      if (left > most) [best, most] = [candidate, left];
    }
    const { base } = best;
    if (base === undefined || chosen.includes(base)) choose(best);
    else if (chosen.length + 2 > count) features.delete(best);
    else for (const candidate of [base, best]) choose(candidate);
  }
  return chosen;
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
    // A near miss shows something of the tiers that it nearly selects.
    const [{ subject: near, nearTo } = {}] = contents.filters ?? [];
    if (isFilter && near?.on === 'metadata' && nearTo !== undefined && tier.metadata[near.key] !== nearTo) continue;
    const subject = `${topic} ${expects}`;
    if (isAlone && !isFilter) yield [`${subject} by ${change}`, worth.variation];
    if (isFilter) {
      yield [`${subject} by ${kind}`, change === '' ? worth.filter : worth.variedFilter];
      for (const { value, subject: filter } of contents.filters ?? []) {
        const key = filter.on === 'campaign' ? '' : filter.key;
        const isExact = variation.endsWith(' filter');
        yield [`${subject} ${key} ${value}`, isExact ? worth.decision + rateAwkwardness(value + key) : 2];
        yield [`${subject} ${key} by ${kind}`, 1];
      }
      continue;
    }
    if (expects === 'forbidden') yield [`${tier.id} ${decision}`, worth.decision];
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
