import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { createIdFinder } from '../../src/recognition/id-finder.js';
import type { KnownIds } from '../../src/recognition/known-ids.js';
import { listRecords } from '../../src/recognition/list-records.js';
import { findNestedPaths } from '../../src/recognition/path-normalization.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import { readReturnedTiers } from '../../src/recognition/returned-tiers.js';
import { findTierMentions, hasMentions, type TierMentions } from '../../src/recognition/tier-mentions.js';
import { determineReading, type TierReading } from '../../src/recognition/tier-reading.js';
import { checkEachRow } from './support/check-each-row.js';

const [a, b, c] = ['promo_aaaaaaaaaaaa', 'promo_bbbbbbbbbbbb', 'promo_cccccccccccc'] as const;
const knownIds = (tiers: readonly string[], keys: readonly string[]): KnownIds => ({
  tiers: createIdFinder(new Set(tiers)),
  keys: createIdFinder(new Set(keys)),
});
const ids = knownIds([a, b, c], ['camp_111111111111', 'spring']);

/** Where a body names tiers: pattern → ids; `unplaced` for those in no place. */
function named(body: string, known = ids): Record<string, readonly string[]> {
  const { idsByPattern: places, unlocatedIds: unplaced } = findTierMentions(body, known);
  return { ...Object.fromEntries(places), ...(unplaced.size > 0 ? { unplaced: [...unplaced] } : {}) };
}

test.describe('tiers are found under their path patterns', () => {
  const shapes: readonly (readonly [what: string, body: unknown, places: Record<string, readonly string[]>])[] = [
    ['a list of ids', [a, b], { '/*': [a, b] }],
    ['a bare id', a, { '': [a] }],
    ['objects with an id', { data: [{ id: b }, { id: a }] }, { '/data/*/id': [b, a] }],
    ['nested and renamed', { data: [{ node: { tier: { identifier: a } } }] }, { '/data/*/node/tier/identifier': [a] }],
    ['keyed by id', { [a]: { name: 'A' }, [b]: null }, { '/*': [a, b] }],
    ['keyed by id, and named inside as well', { by_id: { [a]: { id: a } } }, { '/by_id/*': [a], '/by_id/*/id': [a] }],
    [
      'grouped by campaign id',
      { camp_111111111111: [{ id: a }], other: [{ id: b }] },
      { '/*/*/id': [a], '/other/*/id': [b] },
    ],
    ['grouped by campaign name', { spring: { tiers: [a] } }, { '/*/tiers/*': [a] }],
    ['a list in a list', [[a], [b, [c]]], { '/*/*': [a, b], '/*/*/*': [c] }],
    ['inside a URL', { links: [{ href: `https://a.test/tiers/${a}?x=1` }] }, { '/links/*/href': [a] }],
    ['two inside one text', { text: `${b},${a}` }, { '/text': [b, a] }],
    ['inside a key', { [`tier:${b}`]: true, [`tier:${a}`]: true }, { '/tier:*': [b, a] }],
    ['under keys with an id of something else in them', { 'of camp_111111111111': [a] }, { '/of */*': [a] }],
    ['keys with / and ~', { 'a/b': { '~c': a } }, { '/a~1b/~0c': [a] }],
    ['an empty key', { '': a }, { '/': [a] }],
    ['one tier twice in a list', [a, a, b], { '/*': [a, b] }],
    [
      'several fields of one object',
      [
        { id: a, ref: a },
        { id: b, ref: b },
      ],
      { '/*/id': [a, b], '/*/ref': [a, b] },
    ],
    ['an id in other letter case', [a.toUpperCase()], { '/*': [a] }],
    [
      'ids in other letter case inside texts and keys',
      { [b.toUpperCase()]: `/x/${a.toUpperCase()}` },
      { '/*': [b, a] },
    ],
    ['a part of an id', [a.slice(0, -1)], {}],
    ['nothing: an empty list', [], {}],
    ['nothing: null', null, {}],
    ['nothing: other ids', [{ id: 'promo_dddddddddddd' }], {}],
  ];
  test(
    'whatever the shape',
    checkEachRow(shapes, (_, body, places) => {
      expect(named(JSON.stringify(body))).toEqual(places);
      expect(named(JSON.stringify(body, null, 2))).toEqual(places);
    }),
  );

  test('numbers that are ids, and keys that are: as whole values only, being part of anything', () => {
    const numbers = knownIds(['17', '4'], []);
    expect(named('[{"id":17},{"id":174,"text":"17 of 4"},{"id":"4"}]', numbers)).toEqual({ '/*/id': ['17', '4'] });
    expect(named('{"17":{"price":17.5}}', numbers)).toEqual({ '/*': ['17'] });
    expect(named('17 4', numbers)).toEqual({});
  });
});

test.describe('ids of a deployment’s own', () => {
  const idsOf = (...tiers: string[]) => knownIds(tiers, ['7', 'for-ann-friends']);
  const numbered = idsOf('promotion-tier-1', 'promotion-tier-12');
  const slugs = idsOf('tier-for-ann', 'tier-for-ann-with-budget');
  const spaced = idsOf('tier ½ / größe');
  const table: readonly (readonly [what: string, body: unknown, ids: KnownIds, places: Record<string, string[]>])[] = [
    ['of which one stands in another', ['/t/promotion-tier-12'], numbered, { '/*': ['promotion-tier-12'] }],
    ['as whole values', [{ id: 'promotion-tier-12' }], numbered, { '/*/id': ['promotion-tier-12'] }],
    [
      'both in one text',
      ['promotion-tier-12 promotion-tier-1'],
      numbered,
      { '/*': ['promotion-tier-12', 'promotion-tier-1'] },
    ],
    ['within numbers of things that are not known', ['/t/promotion-tier-123'], numbered, {}],
    ['slugs', ['/t/tier-for-ann-with-budget?x'], slugs, { '/*': ['tier-for-ann-with-budget'] }],
    ['slugs of which one continues unknown', ['/t/tier-for-ann-friends'], slugs, { unplaced: ['tier-for-ann'] }],
    ['percent-encoded', [`/t/${encodeURIComponent('tier ½ / größe')}`], spaced, { '/*': ['tier ½ / größe'] }],
    ['keys that are ids of two kinds', { 7: {} }, idsOf('7'), { '/*': ['7'] }],
    ['in the name of something else', { [`with ${a}`]: 1 }, knownIds([a], [`with ${a}`]), { unplaced: [a] }],
  ];
  test(
    'of every form',
    checkEachRow(table, (_, body, ids, places) => expect(named(JSON.stringify(body), ids)).toEqual(places)),
  );

  test('too short to be recognised inside text leave it open, where nothing is named otherwise', () => {
    const ids = idsOf('T-1', 'T-12');
    const open = (body: unknown, ...others: unknown[]) => {
      const namings = [body, ...others].map((each) => findTierMentions(JSON.stringify(each), ids));
      return [...readReturnedTiers(namings[0] as TierMentions, determineReading(namings)).unclear];
    };
    expect(open([{ href: '/tiers/T-12' }])).toEqual(['T-12']);
    expect(open([{ href: '/tiers/T-123' }])).toEqual([]);
    expect(open([{ href: '/tiers/T-12' }], [{ id: 'T-1' }])).toEqual([]);
    expect(readReturnedTiers(findTierMentions('["a T-1"]', ids), determineReading([])).reason).toContain(
      'fewer than 12 characters',
    );
  });
});

test.describe('whatever the text is', () => {
  const texts: readonly (readonly [what: string, body: string, places: Record<string, readonly string[]>])[] = [
    ['an escape in an id', `["\\u0070romo_aaaaaaaaaaaa"]`, { '/*': [a] }],
    ['an escape in a key', `{"\\u0070romo_aaaaaaaaaaaa":1}`, { '/*': [a] }],
    ['an escape in a URL', `["https:\\/\\/a.test\\/\\u0070romo_aaaaaaaaaaaa"]`, { '/*': [a] }],
    ['a repeated key that hides an id', `{"id":"${a}","id":"${b}"}`, { '/id': [b], unplaced: [a] }],
    ['a repeated key that hides a list', `{"data":["${a}"],"data":[]}`, { unplaced: [a] }],
    ['a byte-order mark', `\uFEFF["${a}"]`, { '/*': [a] }],
    ['white space around', `\r\n\t ["${a}"] \n`, { '/*': [a] }],
    ['no JSON: a page', `<li>${a}</li>`, { unplaced: [a] }],
    ['no JSON: cut off', `["${a}","${b}`, { unplaced: [a, b] }],
    ['no JSON: lines of JSON', `{"id":"${a}"}\n{"id":"${b}"}`, { unplaced: [a, b] }],
    ['no JSON: NaN', `{"n":NaN,"id":"${a}"}`, { unplaced: [a] }],
    ['nothing', '', {}],
    [
      'JSON in a string',
      JSON.stringify({ status: 200, body: JSON.stringify({ data: [{ id: a }] }) }),
      { '/body/data/*/id': [a] },
    ],
    ...[' ', '\t', '\r', '\n', '\uFEFF'].map(
      (before) =>
        [
          `JSON in a string, behind ${JSON.stringify(before)}`,
          JSON.stringify([`${before}[{"id":"${a}"}]`, `${before}{"id":"${b}"}`]),
          { '/*/*/id': [a], '/*/id': [b] },
        ] as const,
    ),
    ['percent-encoded in a URL', `["https://a.test/%7Ev?to=%2Ftiers%2F${a}"]`, { '/*': [a] }],
    ['percent-encoded from the first character on', `["%2F${a}"]`, { '/*': [a] }],
    ['percent-encoded, beside a percentage', `["10 % off: https://a.test/?to=%2F${a}"]`, { '/*': [a] }],
    ['several amid words', `{"text":"valid: ${a}, not valid: ${b}"}`, { unplaced: [a, b] }],
    ['several with signs between', `{"ids":"${a}, ${b}; "}`, { '/ids': [a, b] }],
    ['a part of another word', `["${a}x", "x${b}"]`, { unplaced: [a, b] }],
    ['an own key __proto__', `{"__proto__":{"id":"${a}"}}`, { '/__proto__/id': [a] }],
    [
      'keys of Object.prototype',
      `{"constructor":"${a}","toString":["${b}"]}`,
      { '/constructor': [a], '/toString/*': [b] },
    ],
  ];
  test(
    'however odd it is',
    checkEachRow(texts, (_, body, places) => expect(named(body)).toEqual(places)),
  );

  test('more keys than any call takes arguments', { tag: '@slow' }, () => {
    const keys = Array.from({ length: 300_000 }, (_, n) => `"k${n}":0`).join();
    expect(named(`{${keys},"id":"${a}"}`)).toEqual({ '/id': [a] });
  });

  test('percent signs that are encoded over and over are decoded once', () => {
    expect(named(JSON.stringify([`%${'25'.repeat(500_000)}${a}`]))).toEqual({ unplaced: [a] });
    expect(named(JSON.stringify([`${'%25'.repeat(500_000)}/${a}`]))).toEqual({ '/*': [a] });
  });

  test.describe('the levels of what nests are one place', () => {
    const readBy = (...bodies: object[]) => {
      const namings = bodies.map((body) => findTierMentions(JSON.stringify(body), ids));
      const reading = determineReading(namings);
      return { reading, returned: namings.map((naming) => readReturnedTiers(naming, reading).returned), bodies };
    };
    const list = { data: { id: a, next: { id: b, next: { id: c } } } };
    const tree = { tiers: [{ id: a, tiers: [{ id: b, tiers: [{ id: c }] }] }] };

    test('of a linked list, whose first is one of them', () => {
      const { reading, returned } = readBy(list, { data: { id: b, next: { id: a } } }, { data: { id: c } });
      expect(reading).toMatchObject({ kind: 'agreed', patterns: ['/data/id'] });
      expect(returned).toEqual([[a, b, c], [b, a], [c]]);
      expect(reading.kind === 'agreed' && listRecords(JSON.stringify(list), reading, ids)).toEqual([a, b, c]);
    });

    test('of a tree, with a key and an index for each level', () => {
      const { reading, returned } = readBy(tree, { tiers: [{ id: a }, { id: b }] });
      expect(reading).toMatchObject({ kind: 'agreed', patterns: ['/tiers/*/id'] });
      expect(returned).toEqual([
        [a, b, c],
        [a, b],
      ]);
    });

    test('steps that repeat, up to six together, count once, and as none where the place is without them, too', () => {
      const folds = (...patterns: readonly string[]) => Object.fromEntries(findNestedPaths(patterns));
      expect(folds('/id', '/n/id', '/n/n/id', '/x/id')).toEqual({ '/n/id': '/id', '/n/n/id': '/id' });
      const [six, seven] = ['/a/b/c/d/e/f', '/a/b/c/d/e/f/g'];
      expect(folds(`${six}${six}/id`, `${seven}${seven}/id`)).toEqual({ [`${six}${six}/id`]: `${six}/id` });
      // Where the steps that repeat are none of its own, a pattern is not cut as if they were.
      expect(folds('/n/n/id', '/ab', '/aab')).toEqual({ '/n/n/id': '/n/id' });
      // What a pattern begins with is no step; a key may be empty.
      expect(folds('/id', '//id', '/a//a')).toEqual({});
    });

    test('and what is named in each is found, whether a tier or not', () => {
      const reading = readBy({ data: { id: a, ref: a, next: { id: b, ref: b, next: { id: c, ref: c } } } }).reading;
      const unknown = { data: { id: 'x', ref: 'of x', next: { id: 'y', ref: 'of y' } } };
      expect(reading.kind === 'agreed' && listRecords(JSON.stringify(unknown), reading, ids)).toEqual(['x', 'y']);
    });

    test('but not what stands beside them', () => {
      const beside = { data: { id: a, skipped: { id: c }, next: { id: b, next: { id: a } } } };
      expect(readBy(beside).reading).toEqual({ kind: 'ambiguous', patterns: ['/data/id', '/data/skipped/id'] });
    });

    test('a target file may name all of them with **', () => {
      const naming = findTierMentions(JSON.stringify({ ...list, skipped: c }), ids);
      const reading = determineReading([naming], ['/data/**/id']);
      expect(readReturnedTiers(naming, reading).returned).toEqual([a, b, c]);
      expect(
        reading.kind === 'stated' && listRecords(JSON.stringify(tree), { ...reading, patterns: ['/**/id'] }, ids),
      ).toEqual([a, b, c]);
      expect(determineReading([naming], ['/data/**/name']).kind).toBe('misstated');
      expect(determineReading([naming], ['/**']).kind).toBe('stated');
    });
  });

  test('places under keys of any length are distinguished, and read where the target file has a wildcard', () => {
    const [one, other] = ['k'.repeat(5_000), `${'k'.repeat(4_999)}x`];
    const naming = findTierMentions(JSON.stringify({ [one]: { '~id': [a] }, [other]: { '~id': [a, b] } }), ids);
    expect(determineReading([naming]).kind).toBe('ambiguous');
    const single = JSON.stringify({ [one]: { '~id': [a] } });
    const reading = determineReading([findTierMentions(single, ids)]);
    expect(readReturnedTiers(findTierMentions(single, ids), reading).returned).toEqual([a]);
    expect(reading.kind === 'agreed' && listRecords(single, reading, ids)).toEqual([a]);
    expect(determineReading([findTierMentions(single, ids)], ['/*/~0id/*']).kind).toBe('stated');
  });

  test('places are distinguished however deep they are, and not taken for one where they are too many', () => {
    const deep = (named: readonly string[]) =>
      `${'{"x":{"y":'.repeat(2_000)}${JSON.stringify(named)}${'}}'.repeat(2_000)}`;
    const readingBy = (...bodies: string[]) => determineReading(bodies.map((body) => findTierMentions(body, ids)));
    expect(readingBy(deep([a]), deep([b, a])).kind).toBe('agreed');
    expect(readingBy(`{"returned":${deep([a])},"reviewed":${deep([a, b])}}`).kind).toBe('ambiguous');

    const places = (count: number) =>
      findTierMentions(JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [n, [a]]))), ids);
    const many = places(1_001);
    expect(readReturnedTiers(many, determineReading([many])).reason).toContain('are too many to tell apart');
    expect(determineReading([places(1_000)]).kind).toBe('agreed');
    expect(determineReading([findTierMentions(JSON.stringify(a), ids)])).toEqual({ kind: 'agreed', patterns: [''] });
  });

  test('nesting deeper than any call stack', () => {
    const depth = 100_000;
    const lists = `${'['.repeat(depth)}"${a}"${']'.repeat(depth)}`;
    const objects = `${'{"x":'.repeat(depth)}"${a}"${'}'.repeat(depth)}`;
    for (const body of [lists, objects]) expect(Object.values(named(body))).toEqual([[a]]);
  });
});

test('ids that differ in letter case alone are kept apart', () => {
  const [small, large] = ['promotion-abcdef', 'promotion-ABCDEF'];
  const known = knownIds([small, large], []);
  expect(named(JSON.stringify([large]), known)).toEqual({ '/*': [large] });
  expect(named(JSON.stringify(['promotion-Abcdef']), known)).toEqual({});
});

test.describe('of what a body names it is noted', () => {
  const rows: readonly (readonly [what: string, body: string, seen: Partial<TierMentions>, namesAny: boolean])[] = [
    ['an id as it is', JSON.stringify([a]), { hasIdsInTexts: false, hasOtherLetterCase: false }, true],
    ['an id in capitals', JSON.stringify([a.toUpperCase()]), { hasIdsInTexts: false, hasOtherLetterCase: true }, true],
    ['an id inside a text', JSON.stringify([`/x/${a}`]), { hasIdsInTexts: true, hasOtherLetterCase: false }, true],
    ['an id in a text that is no JSON', `<p>${a}`, { hasIdsInTexts: false, hasOtherLetterCase: false }, true],
    ['nothing', JSON.stringify(['x']), { hasIdsInTexts: false, hasOtherLetterCase: false }, false],
  ];
  test(
    'whether it is inside a text, or in another letter case',
    checkEachRow(rows, (_, body, seen, namesAny) => {
      const naming = findTierMentions(body, ids);
      expect(naming).toMatchObject(seen);
      expect(hasMentions(naming)).toBe(namesAny);
    }),
  );

  test('a short id that may be one', () => {
    const short = findTierMentions('["a T-1"]', knownIds(['T-1'], []));
    expect([[...short.possibleIds], hasMentions(short)]).toEqual([['T-1'], true]);
  });

  test('ids of 12 characters are found inside texts, and shorter ones hinted at', () => {
    const known = knownIds(['abcdefghijkl', 'abcdefghijk'], []);
    const { idsByPattern: places, possibleIds: hinted } = findTierMentions('["/abcdefghijkl"]', known);
    expect(Object.fromEntries(places)).toEqual({ '/*': ['abcdefghijkl'] });
    expect([...hinted]).toEqual(['abcdefghijk']);
  });

  test('of ids that stand in each other the longest', () => {
    const known = knownIds(['promotion-one', 'promotion-one-more', 'promotion-one-more-or-less'], []);
    expect(named('["promotion-one-more-or-less"]', known)).toEqual({ '/*': ['promotion-one-more-or-less'] });
    expect(named('["/promotion-one"]', known)).toEqual({ '/*': ['promotion-one'] });
    expect(named('x promotion-one-more-or-less', known)).toEqual({ unplaced: ['promotion-one-more-or-less'] });
  });
});

test('ids that begin alike are found as if each stood in the pattern by itself, the longest first', () => {
  const unit = fc.constantFrom('a', 'b', 'B', 'é', 'É', '-', '.', ' ');
  const end = fc.string({ unit, maxLength: 4 });
  const stem = 'abcdefghijkl';
  fc.assert(
    fc.property(fc.array(end, { minLength: 1, maxLength: 5 }), fc.array(end, { minLength: 1 }), (ends, pieces) => {
      const all = [...new Set(ends)].map((each) => stem + each);
      const ignoresCase = new Set(all.map((id) => id.toLowerCase())).size === all.length;
      const longestFirst = all
        .toSorted((one, other) => other.length - one.length)
        .map((id) => id.replaceAll('.', '\\.'));
      const [before, after] = ['(?<![A-Za-z0-9]|[A-Za-z0-9][-_])', '(?![A-Za-z0-9]|[-_][A-Za-z0-9])'];
      const plain = new RegExp(`${before}(?:${longestFirst.join('|')})${after}`, ignoresCase ? 'gi' : 'g');
      const text = pieces.join(stem);
      expect(createIdFinder(new Set(all)).replaceIds(text, '*')).toBe(text.replaceAll(plain, '*'));
    }),
    { seed: 20_261_122, numRuns: 500 },
  );
});

test('an id with letters beyond ASCII is found in the other letter case, though that may be longer', () => {
  const id = 'promo_\u0130stanbul';
  expect(id.toLowerCase()).toHaveLength(id.length + 1);
  expect(createIdFinder(new Set([id, 'promo_ascii'])).findExact(id.toLowerCase())).toBe(id);
  expect(named(JSON.stringify({ [id]: {} }), knownIds([id], []))).toEqual({ '/*': [id] });
});

test('ids are found in any letter case, and named as they are', () => {
  const id = 'Promo_aaaaaaaaaaaa';
  const { findIds: named } = createIdFinder(new Set([id]));
  expect(named(id.toUpperCase())).toEqual({ ids: [id], isWhole: true });
  expect(named(`/tiers/${id.toUpperCase()}?x`)).toEqual({ ids: [id], isWhole: false });
  // The longest that fits, though one begins in capitals.
  const [short, long] = ['ABCDEFGHIJKL', 'abcdefghijklm'];
  expect([...createIdFinder(new Set([short, long])).findAnywhere(`x ${long}`)]).toEqual([long]);
});

test('where no id is long enough to be found inside text, nothing is replaced', () => {
  expect(createIdFinder(new Set(['short'])).replaceIds('$ / short', '*')).toBe('$ / short');
});

test.describe('a target’s responses are read', () => {
  const naming = (places: Record<string, readonly string[]>, unplaced: readonly string[] = []): TierMentions => ({
    idsByPattern: new Map(Object.entries(places)),
    unlocatedIds: new Set(unplaced),
    possibleIds: new Set(),
    hasIdsInTexts: false,
    hasOtherLetterCase: false,
  });
  const readings: readonly (readonly [
    what: string,
    namings: TierMentions[],
    stated: string | undefined,
    reading: TierReading,
  ])[] = [
    ['without any response', [], undefined, { kind: 'agreed', patterns: [] }],
    ['without any tier', [naming({})], undefined, { kind: 'agreed', patterns: [] }],
    [
      'with one pattern',
      [naming({ '/*': [a] }), naming({}), naming({ '/*': [b, c] })],
      undefined,
      { kind: 'agreed', patterns: ['/*'] },
    ],
    [
      'with patterns that agree',
      [naming({ '/*/id': [a, b], '/*/ref': [b, a] }), naming({})],
      undefined,
      { kind: 'agreed', patterns: ['/*/id', '/*/ref'] },
    ],
    [
      'with patterns that differ once',
      [naming({ '/x': [a], '/y': [a] }), naming({ '/x': [a, b], '/y': [a] })],
      undefined,
      { kind: 'ambiguous', patterns: ['/x', '/y'] },
    ],
    [
      'with a pattern that is absent once',
      [naming({ '/x': [a], '/y': [a] }), naming({ '/x': [a] })],
      undefined,
      { kind: 'ambiguous', patterns: ['/x', '/y'] },
    ],
    [
      'with patterns in different responses',
      [naming({ '/x': [a] }), naming({ '/y': [b] })],
      undefined,
      { kind: 'ambiguous', patterns: ['/x', '/y'] },
    ],
    [
      'with three of which two agree',
      [naming({ '/x': [a], '/y': [a], '/z': [b] })],
      undefined,
      { kind: 'ambiguous', patterns: ['/x', '/y', '/z'] },
    ],
    ['with the stated pattern', [naming({ '/x': [a], '/y': [b] })], '/y', { kind: 'stated', patterns: ['/y'] }],
    ['with the stated pattern before any tier was named', [naming({})], '/y', { kind: 'stated', patterns: ['/y'] }],
    [
      'with another than the stated pattern',
      [naming({ '/x': [a] })],
      '/y',
      { kind: 'misstated', stated: ['/y'], patterns: ['/x'] },
    ],
  ];
  test(
    'by all that is known of them',
    checkEachRow(readings, (_, namings, stated, reading) =>
      expect(determineReading(namings, stated === undefined ? undefined : [stated])).toEqual(reading),
    ),
  );

  const results: readonly (readonly [
    what: string,
    naming: TierMentions,
    reading: TierReading,
    returned: readonly string[],
    unclear: readonly string[],
  ])[] = [
    [
      'agreed: those named, in the order of the body',
      naming({ '/*': [b, a] }),
      { kind: 'agreed', patterns: ['/*'] },
      [b, a],
      [],
    ],
    [
      'agreed on several patterns: any will do',
      naming({ '/y': [a] }),
      { kind: 'agreed', patterns: ['/x', '/y'] },
      [a],
      [],
    ],
    ['agreed, and none named', naming({}), { kind: 'agreed', patterns: ['/*'] }, [], []],
    [
      'agreed, and one outside of any value',
      naming({ '/*': [a] }, [b]),
      { kind: 'agreed', patterns: ['/*'] },
      [a],
      [b],
    ],
    ['no JSON', naming({}, [a]), { kind: 'agreed', patterns: [] }, [], [a]],
    [
      'stated: those under the pattern, no other',
      naming({ '/x': [a], '/y': [b] }),
      { kind: 'stated', patterns: ['/y'] },
      [b],
      [],
    ],
    ['stated, and none there', naming({ '/x': [a] }), { kind: 'stated', patterns: ['/y'] }, [], []],
    [
      'stated, and one outside of any value',
      naming({ '/y': [b] }, [a]),
      { kind: 'stated', patterns: ['/y'] },
      [b],
      [a],
    ],
    [
      'ambiguous: all unclear',
      naming({ '/x': [a], '/y': [b] }, [c]),
      { kind: 'ambiguous', patterns: ['/x', '/y'] },
      [],
      [a, b, c],
    ],
    ['ambiguous, and none named: certainly nothing', naming({}), { kind: 'ambiguous', patterns: ['/x', '/y'] }, [], []],
    ['misstated: all unclear', naming({ '/x': [a] }), { kind: 'misstated', stated: ['/y'], patterns: ['/x'] }, [], [a]],
  ];
  test('several stated patterns each name some', () => {
    const both = naming({ '/x': [a], '/y/*': [b], '/z': [c] });
    expect(determineReading([both], ['/x', '/y/*'])).toEqual({ kind: 'stated', patterns: ['/x', '/y/*'] });
    expect(readReturnedTiers(both, { kind: 'stated', patterns: ['/x', '/y/*'] }).returned).toEqual([a, b]);
  });

  test('a wildcard that is stated stands for any step', () => {
    const grouped = naming({ '/2024-05/*/id': [a], '/2024-06/*/id': [b], '/skipped': [c] });
    const reading = determineReading([grouped], ['/*/*/id']);
    expect(reading).toEqual({ kind: 'stated', patterns: ['/*/*/id'] });
    expect(readReturnedTiers(grouped, reading).returned).toEqual([a, b]);
  });

  test(
    'as far as it can be determined',
    checkEachRow(results, (_, named, reading, returned, unclear) => {
      const result = readReturnedTiers(named, reading);
      expect(result.returned).toEqual(returned);
      expect([...result.unclear]).toEqual(unclear);
    }),
  );

  test('short ids inside longer texts raise a doubt only where ids stand in texts, or none is named', () => {
    const hinting = { ...naming({ '/*': [a] }), possibleIds: new Set([a, b]) };
    const unclear = (reading: TierReading) => {
      const { unclear, reason: because } = readReturnedTiers(hinting, reading);
      return [[...unclear], because.slice(0, 39)];
    };
    const patterns = ['/*'];
    const doubt = 'The body contains ids of promotions ins';
    expect(unclear({ kind: 'agreed', patterns })).toEqual([[], '']);
    expect(unclear({ kind: 'stated', patterns })).toEqual([[], '']);
    expect(unclear({ kind: 'agreed', patterns, hasIdsInTexts: true })).toEqual([[b], doubt]);
    expect(unclear({ kind: 'stated', patterns, hasIdsInTexts: true })).toEqual([[b], doubt]);
    expect(readReturnedTiers(naming({ '/*': [a] }), { kind: 'agreed', patterns, hasIdsInTexts: true }).reason).toBe('');
    expect(readReturnedTiers({ ...hinting, unlocatedIds: new Set([c]) }, { kind: 'agreed', patterns }).reason).toMatch(
      /^The body names promotions outside/,
    );
  });

  test('of many patterns five are named', () => {
    const patterns = ['/1', '/2', '/3', '/4', '/5', '/6', '/7'];
    const because = (count: number) =>
      readReturnedTiers(naming({}), { kind: 'ambiguous', patterns: patterns.slice(0, count) }).reason;
    expect(because(7)).toContain('under /1 and /2 and /3 and /4 and /5 and 2 more paths, which disagree.');
    expect(because(5)).toContain('under /1 and /2 and /3 and /4 and /5, which disagree.');
  });

  test('stated patterns fit as a whole', () => {
    expect(determineReading([naming({ '/x/y': [a] })], ['/x'])).toMatchObject({ kind: 'misstated' });
    expect(determineReading([naming({ '/x': [a] })], ['/x/y'])).toMatchObject({ kind: 'misstated' });
    expect(determineReading([naming({ '/x': [a] })], ['/x/*'])).toMatchObject({ kind: 'misstated' });
    expect(
      readReturnedTiers(naming({}), { kind: 'misstated', stated: ['/y', '/z'], patterns: ['/x'] }).reason,
    ).toContain('but not under /y or /z, which');
  });

  test('what to do is said where it cannot be determined', () => {
    const named = naming({ '/x': [a], '/y': [b] });
    expect(readReturnedTiers(named, { kind: 'ambiguous', patterns: ['/x', '/y'] }).reason).toBe(
      'Promotions are named under /x and /y, which disagree. State the right path in the target file: response: { tier: /x }, or several in a list.',
    );
    expect(readReturnedTiers(named, { kind: 'ambiguous', patterns: ['/**'] }).reason).toBe(
      'Promotions are named under /**, which are too many to tell apart. State the right path in the target file: response: { tier: /promotions/*/id }, or several in a list.',
    );
    expect(readReturnedTiers(named, { kind: 'misstated', stated: ['/z'], patterns: ['/x', '/y'] }).reason).toBe(
      'Promotions are named under /x and /y, but not under /z, which the target file states. Correct response.tier there.',
    );
  });
});

test.describe('whatever stands where promotions are named is found, known or not', () => {
  type Found = Parameters<typeof listRecords>[1];
  const agreed = (...patterns: readonly string[]): Found => ({ kind: 'agreed', patterns });
  const stated = (pattern: string): Found => ({ kind: 'stated', patterns: [pattern] });
  const table: readonly (readonly [what: string, body: unknown, reading: Found, found: readonly string[]])[] = [
    ['ids of any world', [{ id: a }, { id: 'x' }, { id: 7 }], agreed('/*/id'), [a, 'x', '7']],
    ['each once', [a, a, 'x', 'x'], agreed('/*'), [a, 'x']],
    [
      'ids inside URLs',
      { links: [`https://a.test/${a}`, 'https://a.test/x'] },
      agreed('/links/*'),
      [a, 'https://a.test/x'],
    ],
    ['the first pattern that finds any', { ids: [], refs: ['x'] }, agreed('/ids/*', '/refs/*'), ['x']],
    ['known keys', { [a]: {}, total: 1 }, agreed('/*'), [a]],
    ['any key where it is stated', { promotions: { [a]: {}, x: {} } }, stated('/promotions/*'), [a, 'x']],
    ['keys with a part that is an id', { [`tier:${a}`]: 1, 'tier:x': 1, other: 1 }, stated('/tier:*'), [a, 'tier:x']],
    ['under escaped keys', { 'a/b': { '~c': ['x'] } }, agreed('/a~1b/~0c/*'), ['x']],
    ['packed into a text as JSON', { data: JSON.stringify([{ id: 'x' }]) }, agreed('/data/*/id'), ['x']],
    ['under keys with a wildcard between', { 'tier:x:id': ['y'], 'tier:x:no': ['z'] }, stated('/tier:*:id/*'), ['y']],
    ['under keys with escapes beside a wildcard', { '/~x': 1, '/y': 1 }, stated('/~1~0*'), ['/~x']],
    [
      'members where lists are meant, and lists where members are',
      { a: ['x'], b: { c: 'y' } },
      agreed('/a/c', '/b/*'),
      [],
    ],
    [
      'in any depth, in the order of the body, and within texts that are JSON',
      [{ id: 'x', none: null }, JSON.stringify({ in: { id: 'y' } }), { in: [{ id: 'z' }] }],
      stated('/**/id'),
      ['x', 'y', 'z'],
    ],
    ['an id in capitals', [a.toUpperCase()], agreed('/*'), [a]],
    ['nothing elsewhere', { data: ['x'] }, agreed('/other/*'), []],
    ['nothing that is no text', { data: [null, true, {}, []] }, agreed('/data/*'), []],
  ];
  test(
    'in every shape',
    checkEachRow(table, (_, body, reading, found) =>
      expect(listRecords(JSON.stringify(body), reading, ids)).toEqual(found),
    ),
  );

  test('under each of several stated patterns, and under the first of several that agree', () => {
    const body = JSON.stringify({ ids: ['x'], refs: ['y', 'x'] });
    expect(listRecords(body, { kind: 'stated', patterns: ['/ids/*', '/refs/*'] }, ids)).toEqual(['x', 'y']);
    expect(listRecords(body, agreed('/ids/*', '/refs/*'), ids)).toEqual(['x']);
  });

  test('nothing in a body that is no JSON', () => expect(listRecords(`<p>${a}`, agreed('/*'), ids)).toEqual([]));
});

test.describe('a recognizer', () => {
  const list = { customers: [], products: [], skus: [], categories: [], campaigns: [] };
  const tier = { campaign_id: 'camp_111111111111', name: 'tier', created_at: '', metadata: {}, rules: [] };
  const recognizer = () => createRecognizer({ ...list, tiers: [{ ...tier, id: a }] });
  /** A body that differs from all others by its number, and is so long. */
  const body = (n: number, length = 0) => JSON.stringify([a, n]).padEnd(length);

  test('knows the ids of everything, and the names of categories and campaigns, as keys', () => {
    const thing = (id: string) => ({ id, name: `name of ${id}`, product_id: '', category_ids: [] });
    const world = {
      customers: [thing('a customer')],
      products: [thing('a product')],
      skus: [thing('a sku')],
      categories: [thing('a category')],
      campaigns: [thing('a campaign')],
      tiers: [{ ...tier, id: a }],
    };
    const under = (key: string) => [
      ...createRecognizer(world)
        .findMentions(JSON.stringify({ [key]: a }))
        .idsByPattern.keys(),
    ];
    for (const id of ['a customer', 'a product', 'a sku', 'a category', 'a campaign'])
      expect(under(id)).toEqual(['/*']);
    for (const id of ['a category', 'a campaign']) expect(under(`name of ${id}`)).toEqual(['/*']);
    expect(under('name of a sku')).toEqual(['/name of a sku']);
  });

  test('finds what is found without it', () => {
    const { findMentions: naming, ids: own } = recognizer();
    expect(naming(body(1))).toEqual(findTierMentions(body(1), own));
    expect(naming(body(1)).idsByPattern).toEqual(new Map([['/*', [a]]]));
  });

  test('remembers what it read of late, 8 Mi characters together, and forgets first what was longest of no use', () => {
    const { findMentions: naming } = recognizer();
    const half = 4 * 1024 * 1024;
    const [first, second] = [naming(body(1, half)), naming(body(2, half))];
    expect(naming(body(2, half))).toBe(second);
    expect(naming(body(1, half))).toBe(first);
    const short = naming(body(3));
    expect(naming(body(1, half))).toBe(first);
    expect(naming(body(3))).toBe(short);
    const again = naming(body(2, half));
    expect(again).not.toBe(second);
    expect(again).toEqual(second);
    const long = naming(body(4, 2 * half + 1));
    expect(naming(body(4, 2 * half + 1))).not.toBe(long);
  });
});
