import { expect, test } from '@playwright/test';
import { createIdFinders, type IdFinders } from '../../src/recognition/id-finders.js';
import { listValuesUnderPaths } from '../../src/recognition/list-values-under-paths.js';
import { normalizePathPatterns } from '../../src/recognition/path-normalization.js';
import { determineTierReading, type ReturnedTierPaths } from '../../src/recognition/returned-tier-paths.js';
import { readReturnedTiersOfMentions } from '../../src/recognition/returned-tiers.js';
import { createMentionFilter, type MentionFilter, matchesMentionFilter } from '../../src/recognition/sibling-values.js';
import {
  createTierMentions,
  findTierMentions,
  type Mention,
  type TierMentions,
} from '../../src/recognition/tier-mentions.js';
import { checkEachRow } from '../support/check-each-row.js';
import { recognizer, suite } from '../support/in-process.js';
import { reasonOf } from '../support/reasons.js';

const [a, b, c] = ['promo_aaaaaaaaaaaa', 'promo_bbbbbbbbbbbb', 'promo_cccccccccccc'] as const;
const ids = createIdFinders([a, b, c], ['camp_111111111111', 'spring']);

const agreed = (...patterns: readonly string[]) => ({ kind: 'agreed', patterns }) as const;
const stated = (...patterns: readonly string[]) => ({ kind: 'stated', patterns }) as const;
const ambiguous = (...patterns: readonly string[]) => ({ kind: 'ambiguous', patterns }) as const;
const misstated = (wanted: string, ...patterns: readonly string[]) =>
  ({ kind: 'misstated', stated: [wanted], patterns }) as const;

/** Lists the mentions of a body: pattern → ids, and `unlocated` ids. */
function named(body: string, known = ids): Record<string, readonly string[]> {
  const { idsByPattern, unlocatedIds } = findTierMentions(body, known);
  return { ...Object.fromEntries(idsByPattern), ...(unlocatedIds.size > 0 ? { unlocated: [...unlocatedIds] } : {}) };
}

test.describe('Tiers are found under path patterns', () => {
  const shapes: readonly (readonly [what: string, body: unknown, places: Record<string, readonly string[]>])[] = [
    ['a list of ids', [a, b], { '/*': [a, b] }],
    ['a bare id', a, { '': [a] }],
    ['objects with an id', { data: [{ id: b }, { id: a }] }, { '/data/*/id': [b, a] }],
    ['keyed by id', { [a]: { name: 'A' }, [b]: null }, { '/*': [a, b] }],
    ['keyed by id, with ids', { by_id: { [a]: { id: a } } }, { '/by_id/*': [a], '/by_id/*/id': [a] }],
    [
      'grouped by campaign id',
      { camp_111111111111: [{ id: a }], other: [{ id: b }] },
      { '/*/*/id': [a], '/other/*/id': [b] },
    ],
    ['grouped by campaign name', { spring: { tiers: [a] } }, { '/*/tiers/*': [a] }],
    ['a list in a list', [[a], [b, [c]]], { '/*/*': [a, b], '/*/*/*': [c] }],
    ['a URL', { links: [{ href: `https://a.test/tiers/${a}?x=1` }] }, { '/links/*/href': [a] }],
    ['a part of a key', { [`tier:${b}`]: true, [`tier:${a}`]: true }, { '/tier:*': [b, a] }],
    ['keys with / and ~', { 'a/b': { '~c': a } }, { '/a~1b/~0c': [a] }],
    ['one tier twice in a list', [a, a, b], { '/*': [a, b] }],
    [
      'two fields per object',
      [
        { id: a, ref: a },
        { id: b, ref: b },
      ],
      { '/*/id': [a, b], '/*/ref': [a, b] },
    ],
    ['an id in other letter case', [a.toUpperCase()], { '/*': [a] }],
    ['a part of an id', [a.slice(0, -1)], {}],
    ['nothing: an empty list', [], {}],
    ['nothing: other ids', [{ id: 'promo_dddddddddddd' }], {}],
  ];
  test('in every shape', () =>
    checkEachRow(shapes, (_, body, places) => {
      expect(named(JSON.stringify(body))).toEqual(places);
      expect(named(JSON.stringify(body, null, 2))).toEqual(places);
    }));

  test('Short numeric ids count as whole values only', () => {
    const numbers = createIdFinders(['17', '4'], []);
    expect(named('[{"id":17},{"id":174,"text":"17 of 4"},{"id":"4"}]', numbers)).toEqual({ '/*/id': ['17', '4'] });
    expect(named('{"17":{"price":17.5}}', numbers)).toEqual({ '/*': ['17'] });
    expect(named('17 4', numbers)).toEqual({});
  });
});

test.describe('Other forms of ids are found', () => {
  const idsOf = (...tiers: string[]) => createIdFinders(tiers, ['7', 'for-ann-friends']);
  const numbered = idsOf('promotion-tier-1', 'promotion-tier-12');
  const slugs = idsOf('tier-for-ann', 'tier-for-ann-with-budget');
  const spaced = idsOf('tier ½ / größe');
  const table: readonly (readonly [what: string, body: unknown, known: IdFinders, places: Record<string, string[]>])[] =
    [
      ['one is a part of another', ['/t/promotion-tier-12'], numbered, { '/*': ['promotion-tier-12'] }],
      [
        'both in one text',
        ['promotion-tier-12 promotion-tier-1'],
        numbered,
        { '/*': ['promotion-tier-12', 'promotion-tier-1'] },
      ],
      ['slugs', ['/t/tier-for-ann-with-budget?x'], slugs, { '/*': ['tier-for-ann-with-budget'] }],
      ['a part of a longer slug', ['/t/tier-for-ann-friends'], slugs, { '/*': ['tier-for-ann'] }],
      ['percent-encoded', [`/t/${encodeURIComponent('tier ½ / größe')}`], spaced, { '/*': ['tier ½ / größe'] }],
      ['in another name', { [`with ${a}`]: 1 }, createIdFinders([a], [`with ${a}`]), { unlocated: [a] }],
    ];
  test('in each form', () =>
    checkEachRow(table, (_, body, ids, places) => expect(named(JSON.stringify(body), ids)).toEqual(places)));

  test('Short ids inside texts are unclear, unless other responses have whole ids', () => {
    const ids = idsOf('T-1', 'T-12');
    const open = (body: unknown, ...others: unknown[]) => {
      const allMentions = [body, ...others].map((value) => findTierMentions(JSON.stringify(value), ids));
      return [
        ...readReturnedTiersOfMentions(allMentions[0] as TierMentions, determineTierReading(allMentions)).unclear,
      ];
    };
    expect(open([{ href: '/tiers/T-12' }])).toEqual(['T-12']);
    expect(open([{ href: '/tiers/T-123' }])).toEqual([]);
    expect(open([{ href: '/tiers/T-12' }], [{ id: 'T-1' }])).toEqual([]);
    const { reason } = readReturnedTiersOfMentions(findTierMentions('["a T-1"]', ids), determineTierReading([]));
    expect(reason).toEqual(reasonOf('names-possible', { length: 12 }));
  });
});

test.describe('Tiers are found in unusual texts', () => {
  const texts: readonly (readonly [what: string, body: string, places: Record<string, readonly string[]>])[] = [
    ['an escape in an id', `["\\u0070romo_aaaaaaaaaaaa"]`, { '/*': [a] }],
    ['an escape in a key', `{"\\u0070romo_aaaaaaaaaaaa":1}`, { '/*': [a] }],
    ['a repeated key that hides an id', `{"id":"${a}","id":"${b}"}`, { '/id': [b], unlocated: [a] }],
    ['a repeated key that hides a list', `{"data":["${a}"],"data":[]}`, { unlocated: [a] }],
    ['a byte-order mark', `\uFEFF["${a}"]`, { '/*': [a] }],
    ['no JSON: a page', `<li>${a}</li>`, { unlocated: [a] }],
    ['no JSON: cut off', `["${a}","${b}`, { unlocated: [a, b] }],
    ['no JSON: lines of JSON', `{"id":"${a}"}\n{"id":"${b}"}`, { unlocated: [a, b] }],
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
    ['several amid words', `{"text":"valid: ${a}, not valid: ${b}"}`, { unlocated: [a, b] }],
    ['several with signs between', `{"ids":"${a}, ${b}; "}`, { '/ids': [a, b] }],
    ['a part of another word', `["${a}x", "x${b}"]`, { '/*': [a, b] }],
    ['a part of another word, beside a separate one', `["${a}x", "${b}"]`, { '/*': [b], unlocated: [a] }],
    ['an own key __proto__', `{"__proto__":{"id":"${a}"}}`, { '/__proto__/id': [a] }],
  ];
  test('of each kind', () => checkEachRow(texts, (_, body, places) => expect(named(body)).toEqual(places)));

  test('with percent signs that are encoded many times', () => {
    expect(named(JSON.stringify([`%${'25'.repeat(500_000)}${a}`]))).toEqual({ '/*': [a] });
  });

  test.describe('Nested levels have one path', () => {
    const readBy = (...bodies: object[]) => {
      const allMentions = bodies.map((body) => findTierMentions(JSON.stringify(body), ids));
      const reading = determineTierReading(allMentions);
      return {
        reading,
        returned: allMentions.map((mentions) => readReturnedTiersOfMentions(mentions, reading).returned),
      };
    };
    const list = { data: { id: a, next: { id: b, next: { id: c } } } };
    const tree = { tiers: [{ id: a, tiers: [{ id: b, tiers: [{ id: c }] }] }] };

    test('in a linked list', () => {
      const { reading, returned } = readBy(list, { data: { id: b, next: { id: a } } }, { data: { id: c } });
      expect(reading).toMatchObject(agreed('/data/id'));
      expect(returned).toEqual([[a, b, c], [b, a], [c]]);
    });

    test('in a tree', () => {
      const { reading, returned } = readBy(tree, { tiers: [{ id: a }, { id: b }] });
      expect(reading).toMatchObject(agreed('/tiers/*/id'));
      expect(returned).toEqual([
        [a, b, c],
        [a, b],
      ]);
    });

    test('if up to six steps repeat together', () => {
      const folds = (...patterns: readonly string[]) => Object.fromEntries(normalizePathPatterns(patterns, []));
      expect(folds('/id', '/n/id', '/n/n/id', '/x/id')).toEqual({ '/n/id': '/id', '/n/n/id': '/id' });
      const [six, seven] = ['/a/b/c/d/e/f', '/a/b/c/d/e/f/g'];
      expect(folds(`${six}${six}/id`, `${seven}${seven}/id`)).toEqual({ [`${six}${six}/id`]: `${six}/id` });
      // Only whole steps are removed.
      expect(folds('/n/n/id', '/ab', '/aab')).toEqual({ '/n/n/id': '/n/id' });
    });

    test('as a single result and a list of several have, unless one body has both', () => {
      const rows = [
        ['/data/id', '/data/*/id'],
        ['/id', '/*/id'],
        ['/data', '/data/*'],
        ['/*x/id', '/*/*x/id'],
      ] as const;
      for (const [single, list] of rows) {
        expect([...normalizePathPatterns([single, list], [])]).toEqual([[single, list]]);
        expect(normalizePathPatterns([single, list], [new Set([single, list])]).size).toBe(0);
      }
      for (const path of ['/data/a/id', '/data/*/no', '/other/*/id', '/data/**/id'])
        expect(normalizePathPatterns(['/data/id', path], []).size).toBe(0);
    });

    test('but other paths beside them are ambiguous', () => {
      const beside = { data: { id: a, skipped: { id: c }, next: { id: b, next: { id: a } } } };
      expect(readBy(beside).reading).toMatchObject(ambiguous('/data/id', '/data/skipped/id'));
    });

    test('and a target file can state all levels with **', () => {
      const mentions = findTierMentions(JSON.stringify({ ...list, skipped: c }), ids);
      const reading = determineTierReading([mentions], ['/data/**/id']);
      expect(readReturnedTiersOfMentions(mentions, reading).returned).toEqual([a, b, c]);
      expect(listValuesUnderPaths(JSON.stringify(tree), ['/**/id'], ids, undefined)).toEqual([a, b, c]);
      expect(determineTierReading([mentions], ['/data/**/name']).kind).toBe('misstated');
      expect(determineTierReading([mentions], ['/**']).kind).toBe('stated');
    });
  });

  test('with 100,000 levels', () => {
    const depth = 100_000;
    const lists = `${'['.repeat(depth)}"${a}"${']'.repeat(depth)}`;
    const objects = `${'{"x":'.repeat(depth)}"${a}"${'}'.repeat(depth)}`;
    for (const body of [lists, objects]) expect(Object.values(named(body))).toEqual([[a]]);
  });
});

test('Ids that differ only in letter case are distinguished', () => {
  const [small, large] = ['promotion-abcdef', 'promotion-ABCDEF'];
  const known = createIdFinders([small, large], []);
  expect(named(JSON.stringify([large]), known)).toEqual({ '/*': [large] });
  expect(named(JSON.stringify(['promotion-Abcdef']), known)).toEqual({});
});

test.describe('Nothing of a response is normalised before it is compared', () => {
  const large = ['9007199254740993', '9007199254740992', '100000000000000000000', '1.50'];
  const known = createIdFinders(large, [], []);

  test('Numbers are ids by their digits', () => {
    expect(named('[{"id":9007199254740993},{"id":1.50}]', known)).toEqual({ '/*/id': ['9007199254740993', '1.50'] });
    expect(named('{"9007199254740993":{"id":9007199254740992}}', known)).toEqual({
      '/*': ['9007199254740993'],
      '/*/id': ['9007199254740992'],
    });
    expect(named('[{"id":1.5},{"id":9007199254740994},{"id":1e20}]', known)).toEqual({});
    expect(named(JSON.stringify({ body: '[9007199254740993]' }), known)).toEqual({ '/body/*': ['9007199254740993'] });
    expect(listValuesUnderPaths('[{"id":9007199254740993},{"id":2.0}]', ['/*/id'], known, undefined)).toEqual([
      '9007199254740993',
      '2.0',
    ]);
  });

  test('A number in another form is never not returned', () => {
    const mentions = findTierMentions('[{"id":9007199254740993},{"id":1e20},{"id":1.5}]', known);
    const { returned, isNamedElsewhere } = readReturnedTiersOfMentions(mentions, determineTierReading([mentions]));
    expect(returned).toEqual(['9007199254740993']);
    expect(large.filter(isNamedElsewhere)).toEqual(['9007199254740993', '100000000000000000000']);
  });

  test('Numbers beside ids are compared by their digits', () => {
    const body = `[{"id":"${a}","rate":1.50},{"id":"${b}","rate":1.5},{"id":"${c}","rate":9007199254740993}]`;
    const select = (rate: string) => {
      const filter = createMentionFilter({ where: { rate } }) as MentionFilter;
      const isMeant = (mention: Mention) => matchesMentionFilter(mention, filter, ids.tiers);
      return [...findTierMentions(body, ids, isMeant).idsByPattern.values()].flat();
    };
    expect(['1.50', '1.5', '9007199254740993', '9007199254740992'].map(select)).toEqual([[a], [b], [c], []]);
  });
});

test('What a body names is the same after it was stored as JSON', () => {
  const bodies = [
    [{ id: a }, { id: b }],
    { by_id: { [a]: { id: a, note: `not ${b} or ${c}` } } },
    `see ${a}`,
    {},
    null,
  ];
  for (const body of bodies.map((value) => JSON.stringify(value))) {
    const mentions = findTierMentions(body, ids);
    const read = createTierMentions(JSON.parse(JSON.stringify(mentions.found)), body, ids);
    for (const key of ['idsByPattern', 'certainPatterns', 'unlocatedIds', 'possibleIds', 'locatedIds'] as const)
      expect(read[key], `${key} of ${body}`).toEqual(mentions[key]);
    expect(read.hasIdsInTexts).toBe(mentions.hasIdsInTexts);
    expect(read.listIdsInWords()).toEqual(mentions.listIdsInWords());
    expect([a, b, c].map(read.isAnywhere)).toEqual([a, b, c].map((id) => body.includes(id)));
  }
});

test.describe('Returned tiers are read', () => {
  const mentions = (places: Record<string, readonly string[]>, unlocated: readonly string[] = []): TierMentions => {
    const patterns = Object.keys(places);
    const located = Object.values(places).flat();
    const found = { named: Object.entries(places), certain: patterns, unlocated, possible: [], located };
    return createTierMentions({ ...found, hasIdsInTexts: false }, '', ids);
  };
  const readings: [what: string, all: TierMentions[], reading: ReturnedTierPaths, stated?: string[]][] = [
    ['no response', [], agreed()],
    ['one pattern', [mentions({ '/*': [a] }), mentions({}), mentions({ '/*': [b, c] })], agreed('/*')],
    ['patterns that agree', [mentions({ '/*/id': [a, b], '/*/ref': [b, a] }), mentions({})], agreed('/*/id', '/*/ref')],
    [
      'patterns that differ once',
      [mentions({ '/x': [a], '/y': [a] }), mentions({ '/x': [a, b], '/y': [a] })],
      ambiguous('/x', '/y'),
    ],
    ['patterns in different responses', [mentions({ '/x': [a] }), mentions({ '/y': [b] })], ambiguous('/x', '/y')],
    ['the stated pattern', [mentions({ '/x': [a], '/y': [b] })], stated('/y'), ['/y']],
    ['a stated wildcard', [mentions({ '/2024-05/*/id': [a], '/x': [c] })], stated('/*/*/id'), ['/*/*/id']],
    ['a longer pattern', [mentions({ '/x/y': [a] })], misstated('/x', '/x/y'), ['/x']],
    ['a shorter pattern', [mentions({ '/x': [a] })], misstated('/x/y', '/x'), ['/x/y']],
  ];
  test('by the reading of all responses', () =>
    checkEachRow(readings, (_, allMentions, reading, ...[stated]) =>
      expect(determineTierReading(allMentions, stated)).toEqual(reading),
    ));

  type Result = [
    what: string,
    mentions: TierMentions,
    reading: ReturnedTierPaths,
    returned: string[],
    unclear: string[],
  ];
  const results: readonly Result[] = [
    ['agreed, in the order of the body', mentions({ '/*': [b, a] }), agreed('/*'), [b, a], []],
    ['agreed on two patterns', mentions({ '/y': [a] }), agreed('/x', '/y'), [a], []],
    ['agreed, one unlocated', mentions({ '/*': [a] }, [b]), agreed('/*'), [a], [b]],
    ['no JSON', mentions({}, [a]), agreed(), [], [a]],
    ['stated', mentions({ '/x': [a], '/y': [b] }), stated('/y'), [b], []],
    ['stated, a wildcard', mentions({ '/5/*/id': [a], '/6/*/id': [b], '/x': [c] }), stated('/*/*/id'), [a, b], []],
    ['ambiguous', mentions({ '/x': [a], '/y': [b] }, [c]), ambiguous('/x', '/y'), [], [a, b, c]],
    ['misstated', mentions({ '/x': [a] }), misstated('/y', '/x'), [], [a]],
  ];
  test('from the mentions of one body', () =>
    checkEachRow(results, (_, named, reading, returned, unclear) => {
      const result = readReturnedTiersOfMentions(named, reading);
      expect(result.returned).toEqual(returned);
      expect([...result.unclear]).toEqual(unclear);
    }));
});

test.describe('All records are listed', () => {
  const table: readonly (readonly [what: string, body: unknown, patterns: string, found: readonly string[]])[] = [
    ['under all patterns', { ids: ['x'], refs: ['y', 'x'] }, '/ids/* /refs/*', ['x', 'y']],
    ['known and unknown ids', [{ id: a }, { id: 'x' }, { id: 7 }], '/*/id', [a, 'x', '7']],
    ['each once', [a, a, 'x', 'x'], '/*', [a, 'x']],
    ['ids inside URLs', { links: [`https://a.test/${a}`, 'https://a.test/x'] }, '/links/*', [a, 'https://a.test/x']],
    ['members under indices as keys', { 0: { id: a }, 3: { id: 'x' } }, '/*/id', [a, 'x']],
    ['keys', { promotions: { [a]: {}, x: {} } }, '/promotions/*', [a, 'x']],
    ['JSON in a text', { data: JSON.stringify([{ id: 'x' }]) }, '/data/*/id', ['x']],
    ['a wildcard inside a key', { 'tier:x:id': ['y'], 'tier:x:no': ['z'] }, '/tier:*:id/*', ['y']],
    [
      'at any depth',
      [{ id: 'x', none: null }, JSON.stringify({ in: { id: 'y' } }), { in: [{ id: 'z' }] }],
      '/**/id',
      ['x', 'y', 'z'],
    ],
    ['nothing elsewhere', { data: ['x'] }, '/other/*', []],
    ['no texts', { data: [null, true, {}, []] }, '/data/*', []],
  ];
  test('in each shape', () =>
    checkEachRow(table, (_, body, patterns, found) =>
      expect(listValuesUnderPaths(JSON.stringify(body), patterns.split(' '), ids, undefined)).toEqual(found),
    ));

  test('except in a body that is not JSON', () =>
    expect(listValuesUnderPaths(`<p>${a}`, ['/*'], ids, undefined)).toEqual([]));
});

test('A short id of a data file with a letter and a digit is no coincidence, unless another thing has it', () => {
  const { isGuessable } = createIdFinders(['T-1x', 'A1', '104', 'gift', 'P-77'], [], ['P-77']);
  const ids = ['T-1x', 'A1', '104', 'gift', 'P-77'];
  expect(ids.map(isGuessable)).toEqual([false, true, true, true, true]);
});

test('A recognizer knows all ids, and names of categories and campaigns, as keys', () => {
  const { customers, products, skus, categories, campaigns } = suite.world;
  const under = (key: string | undefined) => [
    ...recognizer.findMentions(JSON.stringify({ [`${key}`]: suite.world.tiers[0]?.id })).idsByPattern.keys(),
  ];
  for (const [thing] of [customers, products, skus, categories, campaigns]) expect(under(thing?.id)).toEqual(['/*']);
  for (const [thing] of [categories, campaigns]) expect(under(thing?.name)).toEqual(['/*']);
  expect(under('else')).toEqual(['/else']);
});
