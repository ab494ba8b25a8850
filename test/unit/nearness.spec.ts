import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { createSimilarIdFinder, findNearness, type Nearness } from '../../src/own-data/nearness.js';

const long = 'Terms apply to all of these offers. ';

const pairs: readonly (readonly [text: string, other: string, nearness: Nearness | undefined])[] = [
  ['mug', 'MUG', 'letter-case'],
  ['mug', 'mug ', 'blanks'],
  ['two  mugs', 'two mugs', 'blanks'],
  ['7', '007', 'number-notation'],
  ['10', '1e1', 'number-notation'],
  ['C-0012', 'C-12', 'number-notation'],
  ['9007199254740993', '9007199254740992', 'number-notation'],
  ['café', 'cafe', 'accents'],
  ['café', 'cafe\u0301', 'accents'],
  ['mug-red', 'mug_red', 'signs'],
  ['mug-red', 'mugred', 'signs'],
  [`${long}a`, `${long}b`, 'end-of-long-text'],
  ['spring', 'spring-sale', 'beginning'],
  ['sale', 'spring-sale', 'ending'],
  ['C-1001', 'C-1002', 'letter'],
  ['C-1001', 'C-1x01', 'letter'],
  ['abcd', 'abd', 'letter'],
  ['mug', 'plate', undefined],
  ['mug', 'mug', undefined],
  ['mug', '', undefined],
  ['-', '+', 'letter'],
];

for (const [text, other, nearness] of pairs)
  test(`'${text}' and '${other}': ${nearness ?? 'not near'}`, () => {
    expect(findNearness(text, other)).toBe(nearness);
    expect(findNearness(other, text)).toBe(nearness);
  });

test('The finder finds an id that is near, among many others', () => {
  const others = Array.from({ length: 300 }, (_, n) => `other thing ${n * 7919}`);
  for (const [text, other, nearness] of pairs.filter(([, other]) => other !== '')) {
    const find = createSimilarIdFinder([...others.slice(0, 150), other, ...others.slice(150), text]);
    if (nearness === undefined) expect(find(text)).not.toContain(text);
    else expect(find(text), `${text} ${other}`).toContain(other);
  }
});

test('What the finder finds by nearness is what a comparison of all pairs finds', () => {
  const id = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '-', ' ', '0', '1', 'é'), minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.uniqueArray(id, { minLength: 2, maxLength: 12 }), (ids) => {
      const [first = ''] = ids;
      const kinds = (found: readonly string[]) => new Set(found.flatMap((other) => findNearness(first, other) ?? []));
      expect(kinds(createSimilarIdFinder(ids)(first))).toEqual(kinds(ids));
    }),
  );
});
