import type { Tier } from '../../../src/contract/world.js';
import { cacheByObject } from '../../../src/support/caches.js';
import type { Mistake } from './mistake.js';

/** Takes tiers, newest first. The right decision is the first 150. */
export type TierCut = (tiers: readonly Tier[]) => readonly Tier[];

const windowSize = 150;

const cut = (id: string, story: string, plug: TierCut): Mistake<TierCut> => ({ id, story, plug });

function firstBy(keyOf: (tier: Tier) => string | number, direction: 1 | -1 = -1): TierCut {
  return (tiers) => {
    const keys = new Map(tiers.map((tier) => [tier, keyOf(tier)]));
    const compare = (left: Tier, right: Tier) => {
      const [first = '', second = ''] = [keys.get(left), keys.get(right)];
      return first === second ? 0 : (first < second ? -1 : 1) * direction;
    };
    return tiers.toSorted(compare).slice(0, windowSize);
  };
}

/** Tiers until a sum of what each costs is reached. */
function untilSum(most: number, costOf: (tier: Tier) => number): TierCut {
  return (tiers) => {
    let sum = 0;
    return tiers.filter((tier) => {
      sum += costOf(tier);
      return sum <= most;
    });
  };
}

const time = cacheByObject(({ created_at }: Tier) => Date.parse(created_at));
const day = 24 * 60 * 60 * 1000;

/** The year that a week belongs to (ISO 8601): that of its Thursday. */
function yearOfWeek(tier: Tier): number {
  const monday = time(tier) - ((new Date(time(tier)).getUTCDay() + 6) % 7) * day;
  return new Date(monday + 3 * day).getUTCFullYear();
}

/** Within a unit, tiers keep an order that has nothing to do with their age. */
function byUnit(unit: string, milliseconds: number): Mistake<TierCut>[] {
  const sortedBy = (keyOf: (tier: Tier) => string) => (tiers: readonly Tier[]) =>
    tiers.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const ties = {
    'the oldest': (tiers: readonly Tier[]) => tiers.toReversed(),
    'the lowest id': sortedBy(({ id }) => id),
    'the highest id': (tiers: readonly Tier[]) => sortedBy(({ id }) => id)(tiers).toReversed(),
    'the first name': sortedBy(({ name }) => name),
  };
  // Some databases round times, others cut them.
  const losses = { cut: Math.floor, rounded: Math.round };
  return Object.entries(losses).flatMap(([lost, reduce]) =>
    Object.entries(ties).map(([first, arrange]) =>
      cut(
        `by-${lost === 'cut' ? '' : `${lost}-`}${unit}-then-${first.slice('the '.length).replace(' ', '-')}`,
        `Times are ${lost} to the ${unit}, and within one ${first} comes first.`,
        (tiers) =>
          arrange(tiers)
            .toSorted((a, b) => reduce(time(b) / milliseconds) - reduce(time(a) / milliseconds))
            .slice(0, windowSize),
      ),
    ),
  );
}

export const windowMistakes: readonly Mistake<TierCut>[] = [
  ...[10, 20, 50, 100, 128, 140, 145, 148, 149, 151, 152, 155, 160, 180].map((size) =>
    cut(`of-${size}`, `The number of tiers is ${size}: a default, or a slip.`, (tiers) => tiers.slice(0, size)),
  ),
  cut('missing', 'All tiers are checked.', (tiers) => tiers),
  cut('from-the-second', 'Positions are counted from 1, so the newest tier is skipped.', (tiers) =>
    tiers.slice(1, 151),
  ),
  cut('of-the-oldest', 'Tiers are sorted in ascending order.', (tiers) => tiers.slice(-windowSize)),
  cut(
    'by-name',
    'The limit is applied to tiers sorted by name.',
    firstBy(({ name }) => name),
  ),
  cut(
    'by-name-ascending',
    'The limit is applied to tiers from A to Z.',
    firstBy(({ name }) => name, 1),
  ),
  cut(
    'by-id',
    'Ids are taken to grow with time.',
    firstBy(({ id }) => id),
  ),
  cut(
    'by-id-ascending',
    'Tiers come from a map that is sorted by id.',
    firstBy(({ id }) => id, 1),
  ),
  cut(
    'by-campaign',
    'Tiers come campaign by campaign.',
    firstBy(({ campaign_id }) => campaign_id),
  ),
  cut(
    'by-number-of-rules',
    'The tiers with the most rules come first.',
    firstBy(({ rules }) => rules.length),
  ),
  cut(
    'by-month-and-day',
    'Dates are compared without their year.',
    firstBy(({ created_at }) => created_at.slice(5)),
  ),
  cut(
    'by-time-of-day',
    'Times are compared without their date.',
    firstBy(({ created_at }) => created_at.slice(11)),
  ),
  cut(
    'by-day-of-the-month',
    'Dates are sorted as texts that begin with the day.',
    firstBy(({ created_at }) => created_at.slice(8)),
  ),
  cut(
    'by-twelve-hour-clock',
    'Times are sorted as texts with "hh" for "HH".',
    firstBy(({ created_at }) =>
      created_at.replace(/T(\d\d)/, (_, hour) => `T${String(Number(hour) % 12 || 12).padStart(2, '0')}`),
    ),
  ),
  cut(
    'by-minute-for-month',
    'Times are sorted as texts with "mm" for "MM".',
    firstBy(({ created_at }) => created_at.replace(/-\d\d-(.*T\d\d:(\d\d))/, '-$2-$1')),
  ),
  cut(
    'by-week-year',
    'Times are sorted as texts with "YYYY" for "yyyy".',
    firstBy((tier) => `${yearOfWeek(tier)}${tier.created_at.slice(4)}`),
  ),
  ...byUnit('second', 1000),
  ...byUnit('minute', 60_000),
  ...byUnit('hour', 3_600_000),
  ...byUnit('day', day),
  ...byUnit('month', 30 * day),
  ...[7, 14, 30].map((days) =>
    cut(`of-${days}-days`, `The most recent tiers are those of the last ${days} days.`, (tiers) =>
      tiers.filter((tier) => time(tier) > time(tiers[0] as Tier) - days * day),
    ),
  ),
  cut('of-the-newest-year', 'Only tiers of the newest year are loaded.', (tiers) =>
    tiers.filter(({ created_at }) => created_at.slice(0, 4) === tiers[0]?.created_at.slice(0, 4)),
  ),
  cut(
    'of-150-rules',
    'A join repeats each tier for each of its rules, and rows are limited.',
    untilSum(150, ({ rules }) => Math.max(1, rules.length)),
  ),
  cut(
    'of-150-entries',
    'A join repeats each tier for each metadata entry, and rows are limited.',
    untilSum(150, ({ metadata }) => Math.max(1, Object.keys(metadata).length)),
  ),
  cut('of-150-names', 'Names are distinct before the limit is applied.', (tiers) => {
    const names = [...new Set(tiers.map(({ name }) => name))].slice(0, windowSize);
    return tiers.filter(({ name }) => names.includes(name));
  }),
  cut('of-one-tier-per-name', 'Tiers of one name are taken for one tier.', (tiers) =>
    tiers.filter(({ name }, at) => tiers.findIndex((tier) => tier.name === name) === at).slice(0, windowSize),
  ),
  cut('per-campaign', 'The limit is applied to each campaign by itself.', (tiers) =>
    tiers.filter(
      (tier, rank) =>
        tiers.slice(0, rank).filter(({ campaign_id }) => campaign_id === tier.campaign_id).length < windowSize,
    ),
  ),
  cut('without-tiers-without-rules', 'Tiers without rules do not count towards the limit.', (tiers) => {
    const counted = tiers.filter(({ rules }) => rules.length > 0).slice(0, windowSize);
    return tiers.slice(0, tiers.indexOf(counted.at(-1) as Tier) + 1);
  }),
  cut('and-the-oldest', 'The very first tier is kept as a fallback.', (tiers) => [
    ...tiers.slice(0, windowSize),
    ...tiers.slice(windowSize).slice(-1),
  ]),
];

export const pageMistakes: readonly Mistake<TierCut>[] = [
  ...[1, 2, 5, 10, 20, 25, 30, 50, 64, 75, 100, 120, 140].map((size) =>
    cut(`page-of-${size}`, `The answer is a page of ${size}, and nothing leads to the next one.`, (tiers) =>
      tiers.slice(0, size),
    ),
  ),
  cut('last-page', 'The last page of 100 is returned.', (tiers) => tiers.slice(Math.floor(tiers.length / 100) * 100)),
  cut('one-per-campaign', 'Tiers are put into a map by their campaign.', (tiers) => [
    ...new Map(tiers.map((tier) => [tier.campaign_id, tier])).values(),
  ]),
  cut('one-per-name', 'Tiers are put into a map by their name.', (tiers) => [
    ...new Map(tiers.map((tier) => [tier.name, tier])).values(),
  ]),
  cut('without-the-newest', 'The loop begins at one.', (tiers) => tiers.slice(1)),
  cut('without-the-oldest', 'The loop ends one too early.', (tiers) => tiers.slice(0, -1)),
  cut('names-beyond-ascii-lost', 'A name that ASCII cannot encode is skipped.', (tiers) =>
    tiers.filter(({ name }) => !/[^\0-\x7f]/.test(name)),
  ),
  cut('names-beyond-latin-1-lost', 'A name that Latin-1 cannot encode is skipped.', (tiers) =>
    tiers.filter(({ name }) => !/[^\0-\u00ff]/u.test(name)),
  ),
  cut('names-with-quotes-lost', 'A name with quotes breaks its record, which is skipped.', (tiers) =>
    tiers.filter(({ name }) => !/["'\\]/.test(name)),
  ),
  cut('names-with-markup-lost', 'A name with signs of HTML is skipped as an attack.', (tiers) =>
    tiers.filter(({ name }) => !/[<>&]/.test(name)),
  ),
  ...[64, 128].map((length) =>
    cut(
      `names-beyond-${length}-letters-lost`,
      `A name of more than ${length} letters does not fit its column.`,
      (tiers) => tiers.filter(({ name }) => name.length <= length),
    ),
  ),
  cut(
    'entries-of-other-types-lost',
    'A tier with a metadata value that is not a string cannot be read and is skipped.',
    (tiers) => tiers.filter(({ metadata }) => Object.values(metadata).every((value) => typeof value === 'string')),
  ),
  cut('without-metadata-lost', 'A join drops tiers without metadata.', (tiers) =>
    tiers.filter(({ metadata }) => Object.keys(metadata).length > 0),
  ),
  cut('without-rules-lost', 'A join drops tiers without rules.', (tiers) =>
    tiers.filter(({ rules }) => rules.length > 0),
  ),
  cut('one-per-metadata', 'A result is grouped by metadata.', (tiers) => [
    ...new Map(tiers.map((tier) => [JSON.stringify(tier.metadata), tier])).values(),
  ]),
  cut('nothing', 'An error of the look-up is answered with an empty list.', () => []),
];
