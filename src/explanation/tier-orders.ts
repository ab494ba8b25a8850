/**
 * Orders in which a deployment may have promotion tiers where it should have the newest first: by a text, by a number, or by a part
 * of the time of creation. In: a world. Out: its tiers in each order, and words for the order. Pure.
 */

import type { TargetWorld, Tier } from '../contract/world.js';

/** What tiers may be sorted by. */
interface SortKey {
  readonly id: string;
  /** The words continue "in ascending order of their …". Several keys have the same words if they say the same to a reader. */
  readonly words: string;
  readonly read: (tier: Tier) => string | number;
}

/** An order of tiers. */
export interface TierOrder {
  /** Stable. */
  readonly id: string;
  /** The words continue "in …". Orders that differ in ties alone have the same words. */
  readonly words: string;
  /** Takes tiers newest first. */
  readonly sort: (tiers: readonly Tier[]) => readonly Tier[];
}

export const newestFirst: TierOrder = {
  id: 'newest',
  words: 'the order of creation, newest first',
  sort: (tiers) => tiers,
};

const oldestFirst: TierOrder = {
  id: 'oldest',
  words: 'the order of creation, oldest first',
  sort: (tiers) => tiers.toReversed(),
};

/** Lists the orders that a list for people may have: by the whole time of creation, or by a text. */
export function listTierOrders(world: Pick<TargetWorld, 'campaigns'>): readonly TierOrder[] {
  return [newestFirst, oldestFirst, ...createTextKeys(world).flatMap(createOrders)];
}

/** Lists the orders by something else than the whole time of creation. */
export function listOtherTierOrders(world: Pick<TargetWorld, 'campaigns'>): readonly TierOrder[] {
  return [...createTextKeys(world), ...countKeys, ...timeKeys].flatMap(createOrders);
}

/** Chooses an order if all that fit say the same: they sort alike, or they differ in ties alone. */
export function chooseOnlyOrder(fitting: readonly TierOrder[], tiers: readonly Tier[]): TierOrder | undefined {
  const listIds = ({ sort }: TierOrder) => sort(tiers).map(({ id }) => id);
  const different = new Map(fitting.toReversed().map((order) => [listIds(order).join(), order]));
  const words = new Set([...different.values()].map((order) => order.words));
  return words.size === 1 ? fitting[0] : undefined;
}

function createTextKeys({ campaigns }: Pick<TargetWorld, 'campaigns'>): SortKey[] {
  const names = new Map(campaigns.map(({ id, name }) => [id, name]));
  return [
    { id: 'name', words: 'name', read: ({ name }) => name },
    { id: 'lower-case-name', words: 'name', read: ({ name }) => name.toLowerCase() },
    { id: 'id', words: 'id', read: ({ id }) => id },
    { id: 'campaign', words: 'id of the campaign', read: ({ campaign_id }) => campaign_id },
    { id: 'campaign-name', words: 'name of the campaign', read: ({ campaign_id }) => names.get(campaign_id) ?? '' },
  ];
}

const countKeys: readonly SortKey[] = [
  { id: 'rules', words: 'number of rules', read: ({ rules }) => rules.length },
  { id: 'metadata', words: 'number of entries of metadata', read: ({ metadata }) => Object.keys(metadata).length },
];

/** Parts of a time, each as text of two digits, or of four for the year. */
interface TimeParts {
  readonly year: string;
  readonly month: string;
  readonly day: string;
  readonly hour: string;
  readonly minute: string;
  /** With its fraction. */
  readonly second: string;
  /** The fraction alone. */
  readonly fraction: string;
  readonly date: Date;
}

function readTimeParts({ created_at }: Tier): TimeParts {
  const date = new Date(created_at);
  const iso = date.toISOString();
  const [year = '', month = '', day = ''] = iso.slice(0, 10).split('-');
  const [hour = '', minute = '', second = ''] = iso.slice(11, -1).split(':');
  return { year, month, day, hour, minute, second, fraction: second.slice(3), date };
}

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
const dayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

const [dayFirst, monthFirst, withoutMonth, weekday, monthName, unpadded, ofClock, of32Bits] = [
  'day of the month of creation, which comes before the month and the year',
  'month of creation, which comes before the year',
  'time of creation, in which the month does not count',
  'day of the week of creation',
  'name of the month of creation',
  'time of creation as a text without leading zeros',
  'time of creation by a clock of 12 hours',
  'time of creation in milliseconds, cut off to 32 bits',
] as const;

/** Parts of times in other orders than from the year to the second, and times as other numbers or texts. */
const timeKeys: readonly SortKey[] = (
  [
    [
      'day-month-year',
      dayFirst,
      ({ day, month, year, hour, minute, second }) => [day, month, year, hour, minute, second].join(),
    ],
    // The members of a structure in the order of their names.
    [
      'day-hour-fraction',
      dayFirst,
      ({ day, hour, fraction, minute, month, second, year }) =>
        [day, hour, fraction, minute, month, second, year].join(),
    ],
    ['day', dayFirst, ({ day }) => day],
    [
      'month-day-year',
      monthFirst,
      ({ month, day, year, hour, minute, second }) => [month, day, year, hour, minute, second].join(),
    ],
    ['year-day', withoutMonth, ({ year, day }) => [year, day].join()],
    ['year-day-time', withoutMonth, ({ year, day, hour, minute, second }) => [year, day, hour, minute, second].join()],
    [
      'time-of-day',
      'time of day of creation, which comes before the date',
      ({ hour, minute, second, year, month, day }) => [hour, minute, second, year, month, day].join(),
    ],
    ['minute', 'minute of creation', ({ minute }) => minute],
    ['second', 'second of creation', ({ second }) => second],
    ['weekday', weekday, ({ date }) => date.getUTCDay()],
    ['weekday-from-monday', weekday, ({ date }) => (date.getUTCDay() + 6) % 7],
    ['weekday-name', weekday, ({ date, day, month }) => [dayNames[date.getUTCDay()], nameMonth(month), day].join()],
    ['weekday-name-day', weekday, ({ date, day, month }) => [dayNames[date.getUTCDay()], day, nameMonth(month)].join()],
    ['month-name', monthName, ({ month, day, year }) => [nameMonth(month), day, year].join()],
    ['unpadded', unpadded, ({ year, month, day, hour }) => `${year}-${Number(month)}-${Number(day)} ${hour}`],
    [
      'unpadded-month-first',
      `${unpadded}, the month first`,
      ({ year, month, day, hour }) => `${Number(month)}/${Number(day)}/${year} ${hour}`,
    ],
    [
      'unpadded-day-first',
      `${unpadded}, the day first`,
      ({ year, month, day, hour }) => `${Number(day)}.${Number(month)}.${year} ${hour}`,
    ],
    [
      '12-hours',
      ofClock,
      ({ year, month, day, hour, minute }) =>
        [year, month, day, String(Number(hour) % 12 || 12).padStart(2, '0'), minute].join(),
    ],
    ['32-bits', of32Bits, ({ date }) => date.getTime() | 0],
    ['32-bits-unsigned', of32Bits, ({ date }) => date.getTime() >>> 0],
  ] as const satisfies readonly (readonly [id: string, words: string, read: (parts: TimeParts) => string | number])[]
).map(([id, words, read]) => ({ id, words, read: (tier) => read(readTimeParts(tier)) }));

function nameMonth(month: string): string {
  return monthNames[Number(month) - 1] ?? '';
}

/** Creates the orders by a key, ascending and descending. Of tiers with one key, the newest come first, or the oldest. */
function createOrders({ id, words, read }: SortKey): TierOrder[] {
  return (['ascending', 'descending'] as const).flatMap((direction) =>
    [newestFirst, oldestFirst].map(
      (within): TierOrder => ({
        id: `${id}-${direction}-${within.id}`,
        words: `${direction} order of their ${words}`,
        sort(tiers) {
          const keyed = within.sort(tiers).map((tier) => ({ tier, key: read(tier) }));
          const sign = direction === 'ascending' ? 1 : -1;
          return keyed.toSorted((left, right) => sign * compareKeys(left.key, right.key)).map(({ tier }) => tier);
        },
      }),
    ),
  );
}

function compareKeys(key: string | number, other: string | number): number {
  if (key === other) return 0;
  return key < other ? -1 : 1;
}
