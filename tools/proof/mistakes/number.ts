import type { Mistake } from './mistake.js';

/** Reads the quantity of an item. */
export type QuantityReading = (quantity: number) => number;

/** Compares a quantity with a threshold. The right decision is `>=`. */
export type ThresholdComparison = (quantity: number, atLeast: number) => boolean;

/** Adds up the quantities of several items with one id. */
export type QuantitySum = (quantities: readonly number[]) => number;

const wraps = [8, 16, 32].flatMap((bits): Mistake<QuantityReading>[] => [
  {
    id: `wraps-at-${bits}-bits`,
    story: `The column for the quantity is an unsigned integer of ${bits} bits.`,
    plug: (quantity) => quantity % 2 ** bits,
  },
  {
    id: `wraps-at-${bits}-signed-bits`,
    story: `The column for the quantity is a signed integer of ${bits} bits.`,
    plug: (quantity) => ((quantity + 2 ** (bits - 1)) % 2 ** bits) - 2 ** (bits - 1),
  },
]);

const caps = [1, 2, 5, 9, 10, 50, 99, 100, 127, 255, 999, 1000, 32_767, 65_535].flatMap(
  (most): Mistake<QuantityReading>[] => [
    {
      id: `refused-above-${most}`,
      story: `An item with a quantity above ${most} is skipped as invalid.`,
      plug: (quantity) => (quantity > most ? 0 : quantity),
    },
    {
      id: `capped-at-${most}`,
      story: `A quantity above ${most} is lowered to it.`,
      plug: (quantity) => Math.min(quantity, most),
    },
  ],
);

export const quantityMistakes: readonly Mistake<QuantityReading>[] = [
  ...wraps,
  ...caps,
  { id: 'one-too-few', story: 'A counter begins at zero.', plug: (quantity) => quantity - 1 },
  { id: 'one-too-many', story: 'A counter begins at one.', plug: (quantity) => quantity + 1 },
  {
    id: 'first-digit',
    story: 'The column for the quantity has one digit.',
    plug: (quantity) => Number(String(quantity)[0]),
  },
  { id: 'last-digit', story: 'The text of the quantity is cut from the left.', plug: (quantity) => quantity % 10 },
  { id: 'two-digits', story: 'The column for the quantity has two digits.', plug: (quantity) => quantity % 100 },
  { id: 'as-one', story: 'Every item counts as one piece.', plug: () => 1 },
  {
    id: 'one-as-none',
    story: 'A quantity of 1 is taken for a default, and lost.',
    plug: (quantity) => (quantity === 1 ? 0 : quantity),
  },
  { id: 'doubled', story: 'A join counts each item twice.', plug: (quantity) => 2 * quantity },
  { id: 'halved', story: 'Pairs are counted.', plug: (quantity) => Math.floor(quantity / 2) },
  {
    id: 'as-octal',
    story: 'The quantity is parsed as octal.',
    plug: (quantity) => Number.parseInt(String(quantity), 8) || 0,
  },
  {
    id: 'as-hexadecimal',
    story: 'The quantity is parsed as hexadecimal.',
    plug: (quantity) => Number.parseInt(String(quantity), 16),
  },
  {
    id: 'half-precision',
    story: 'The quantity is stored with 11 bits of precision.',
    plug: (quantity) => (quantity > 2048 ? Math.floor(quantity / 2048) * 2048 : quantity),
  },
  {
    id: 'single-precision',
    story: 'The quantity is stored as a 32-bit float.',
    plug: (quantity) => Math.fround(quantity),
  },
];

export const thresholdMistakes: readonly Mistake<ThresholdComparison>[] = [
  { id: 'above', story: '">" is written for ">=".', plug: (quantity, atLeast) => quantity > atLeast },
  { id: 'exactly', story: '"==" is written for ">=".', plug: (quantity, atLeast) => quantity === atLeast },
  { id: 'below', story: '"<" is written for ">=".', plug: (quantity, atLeast) => quantity < atLeast },
  { id: 'at-most', story: 'The two sides of ">=" are swapped.', plug: (quantity, atLeast) => quantity <= atLeast },
  {
    id: 'different',
    story: '"!=" is written for ">=".',
    plug: (quantity, atLeast) => quantity !== atLeast && quantity > 0,
  },
  { id: 'one-short', story: 'A threshold is met by one less.', plug: (quantity, atLeast) => quantity >= atLeast - 1 },
  { id: 'one-more', story: 'A threshold is met by one more.', plug: (quantity, atLeast) => quantity >= atLeast + 1 },
  { id: 'present', story: 'That an order has the thing is enough.', plug: (quantity) => quantity > 0 },
  { id: 'always', story: 'The result of the comparison is not used.', plug: () => true },
  { id: 'never', story: 'The comparison is always false, because the types differ.', plug: () => false },
  {
    id: 'multiple',
    story: 'Only multiples of the threshold count.',
    plug: (quantity, atLeast) => quantity > 0 && quantity % atLeast === 0,
  },
  {
    id: 'as-text',
    story: 'Quantities and thresholds are compared as texts.',
    plug: (quantity, atLeast) => String(quantity) >= String(atLeast),
  },
  {
    id: 'by-digits',
    story: 'The lengths of the texts are compared first.',
    plug: (quantity, atLeast) => String(quantity).length >= String(atLeast).length,
  },
  {
    id: 'threshold-of-one-digit',
    story: 'The database column for thresholds has one digit.',
    plug: (quantity, atLeast) => quantity >= Number(String(atLeast)[0]),
  },
  {
    id: 'threshold-as-octal',
    story: 'The threshold is parsed as octal.',
    plug: (quantity, atLeast) => quantity >= Number.parseInt(String(atLeast), 8),
  },
  { id: 'threshold-of-one', story: 'Thresholds are not stored.', plug: (quantity) => quantity >= 1 },
  {
    id: 'threshold-doubled',
    story: 'A threshold must be exceeded by as much again.',
    plug: (quantity, atLeast) => quantity >= 2 * atLeast,
  },
];

const total = (quantities: readonly number[]): number => quantities.reduce((sum, quantity) => sum + quantity, 0);

export const quantitySumMistakes: readonly Mistake<QuantitySum>[] = [
  { id: 'maximum', story: 'The largest of several items counts.', plug: (quantities) => Math.max(...quantities) },
  { id: 'first', story: 'The first of several items counts.', plug: ([first = 0]) => first },
  { id: 'last', story: 'The last of several items counts.', plug: (quantities) => quantities.at(-1) ?? 0 },
  { id: 'average', story: 'The quantities are averaged.', plug: (quantities) => total(quantities) / quantities.length },
  { id: 'minimum', story: 'The smallest of several items counts.', plug: (quantities) => Math.min(...quantities) },
  {
    id: 'items-counted',
    story: 'The rows of a join are counted, not added up.',
    plug: (quantities) => quantities.length,
  },
  {
    id: 'squared',
    story: 'A join repeats each item for each other one.',
    plug: (quantities) => total(quantities) * quantities.length,
  },
  {
    id: 'concatenated',
    story: 'Quantities are texts, and "+" joins them.',
    plug: (quantities) => Number(quantities.join('')),
  },
  {
    id: 'multiplied',
    story: 'Quantities are multiplied.',
    plug: (quantities) => quantities.reduce((product, quantity) => product * quantity, 1),
  },
  {
    id: 'none-when-repeated',
    story: 'Duplicates are taken out by dropping all of them.',
    plug: (quantities) => (quantities.length > 1 ? 0 : total(quantities)),
  },
  {
    id: 'none-when-even',
    story: 'Each item toggles whether its product is in the order.',
    plug: (quantities) => (quantities.length % 2 === 0 ? 0 : total(quantities)),
  },
  {
    id: 'none-when-different',
    story: 'Items of different quantities contradict each other.',
    plug: (quantities) => (new Set(quantities).size > 1 ? 0 : total(quantities)),
  },
  {
    id: 'unbounded-when-repeated',
    story: 'A repeated product satisfies every threshold.',
    plug: (quantities) => (quantities.length > 1 ? Number.POSITIVE_INFINITY : total(quantities)),
  },
  {
    id: 'difference',
    story: 'A later item is taken for a correction.',
    plug: ([first = 0, ...others]) => first - total(others),
  },
  {
    id: 'exclusive-or',
    story: 'Quantities are combined bit by bit.',
    plug: (quantities) => quantities.reduce((bits, quantity) => bits ^ quantity, 0),
  },
  {
    id: 'distinct-added',
    story: 'Equal quantities are added once (SUM DISTINCT).',
    plug: (quantities) => total([...new Set(quantities)]),
  },
];
