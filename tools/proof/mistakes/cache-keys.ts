import type { Change } from '../../../reference/deployment/handlers.js';
import { emptyRequest, type ParsedRequest } from '../../../reference/deployment/parsed-request.js';
import { orNothing } from '../../../reference/faults/or-nothing.js';
import { remember, textOf } from '../../../reference/faults/remember.js';
import type { Tier } from '../../../src/contract/world.js';
import { cacheByObject } from '../../../src/support/caches.js';
import type { Mistake } from './mistake.js';
import { textHashes } from './text-hashes.js';

/** Writes texts of a request in the key of a cache. The right decision is to keep them. */
export type KeyTexts = (texts: readonly string[]) => readonly string[];

/** Names with their values. */
export type KeyEntry = readonly [name: string, value: string];

/** Writes names and values in the key of a cache. The right decision is to keep each where it is. */
export type KeyEntries = (entries: readonly KeyEntry[]) => unknown;

const eachText = (id: string, story: string, write: (text: string) => string): Mistake<KeyTexts> => ({
  id,
  story,
  plug: (texts) => texts.map(write),
});

const missing = eachText('missing', 'The key of the cache lacks it.', () => '');

const hashedTexts = Object.entries(textHashes).map(([id, { name, hash }]) =>
  eachText(`as-${id}-hash`, `The key of the cache has ${name} in place of it.`, (text) => String(hash(text))),
);

const ofTexts: readonly Mistake<KeyTexts>[] = [
  missing,
  eachText('in-lower-case', 'The key of the cache has it in lower case.', (text) => text.toLowerCase()),
  eachText('as-slug', 'The key of the cache has its letters and digits, with hyphens between them.', (text) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-|-$/g, ''),
  ),
  eachText('trimmed', 'The key of the cache has it without white space around it.', (text) => text.trim()),
  eachText('with-blanks-collapsed', 'The key of the cache has one blank for each run of white space.', (text) =>
    text.replaceAll(/\s+/g, ' '),
  ),
  ...hashedTexts,
  eachText('without-letters-beyond-ascii', 'The key of the cache has its ASCII characters alone.', (text) =>
    text.replaceAll(/[^\0-\x7f]/g, ''),
  ),
  ...[64, 255].map((length) =>
    eachText(`cut-after-${length}`, `The key of the cache has its first ${length} characters.`, (text) =>
      text.slice(0, length),
    ),
  ),
];

/** How developers write a part of a request in a key. Ids are never alike, so they can only be missing. */
export const keyMistakes = {
  id: [missing],
  quantity: [
    missing,
    eachText('capped-at-1000', 'The key of the cache has 1,000 for every greater quantity.', (text) =>
      String(Math.min(Number(text), 1000)),
    ),
  ],
  text: ofTexts,
  whole: hashedTexts,
  list: [
    {
      id: 'sorted-apart',
      story: 'The key of the cache has the parts sorted, each list by itself.',
      plug: (texts) => texts.toSorted(),
    },
    {
      id: 'joined-apart',
      story: 'The key of the cache has the parts one after the other, each list by itself, without separators.',
      plug: (texts) => [texts.join('')],
    },
  ],
} as const satisfies Readonly<Record<string, readonly Mistake<KeyTexts>[]>>;

/** What stands between a name and its value, and between entries, where they are written one after the other. */
const notations = {
  'as-java-map': ['=', ', '],
  'as-go-map': [':', ' '],
  'as-query': ['=', '&'],
  'as-pairs-with-colons': [':', ','],
  'as-list': [',', ','],
} as const;

/** How developers write entries in a key, so that others become the same key. */
export const entryMistakes: readonly Mistake<KeyEntries>[] = [
  {
    id: 'sorted-values-alone',
    story: 'The key of the cache has the sorted values, without their names.',
    plug: (entries) => entries.map(([, value]) => value).toSorted(),
  },
  {
    id: 'sorted-texts',
    story: 'The key of the cache has names and values in one sorted list.',
    plug: (entries) => entries.flat().toSorted(),
  },
  {
    id: 'as-hash-of-a-java-map',
    story: 'The key of the cache has hashCode() of a map: a name and its value may change places.',
    plug: (entries) =>
      entries.reduce((sum, [name, value]) => (sum + (textHashes.java.hash(name) ^ textHashes.java.hash(value))) | 0, 0),
  },
  ...Object.entries(notations).map(([id, [between, after]]) => ({
    id,
    story: `The key of the cache has names and values as a text, with '${between}' and '${after}' between them.`,
    plug: (entries: readonly KeyEntry[]) => entries.map((entry) => entry.join(between)).join(after),
  })),
];

/** The parts of a request that the key of a cache has. */
type KeyOf = (request: ParsedRequest) => unknown;

/** A place where a deployment keeps what it found for a request. */
interface Cache {
  readonly id: string;
  readonly what: string;
  /** The parts of a request that decide what is found. */
  readonly reads: readonly ('body' | 'query')[];
  readonly keep: (keyOf: KeyOf) => Change;
}

export const caches: readonly Cache[] = [
  {
    id: 'results',
    what: 'Results are cached',
    reads: ['body', 'query'],
    keep: (keyOf) => (handlers) => ({ select: remember(orNothing(handlers.select), keyOf) }),
  },
  {
    id: 'last-result',
    what: 'The last result is kept for an equal request',
    reads: ['body', 'query'],
    keep: (keyOf) => (handlers) => {
      const select = orNothing(handlers.select);
      let last: { readonly key: string; readonly tiers: readonly Tier[] } | undefined;
      return {
        select(request) {
          const key = textOf(keyOf(request));
          if (last?.key !== key) last = { key, tiers: select(request) };
          return last.tiers;
        },
      };
    },
  },
  {
    id: 'checked-tiers',
    what: 'The tiers that filters and window leave are cached',
    reads: ['query'],
    keep: (keyOf) => (handlers) => ({
      candidates: remember(orNothing(handlers.candidates), ({ filters }) => keyOf({ ...emptyRequest, filters })),
    }),
  },
  {
    id: 'validity',
    what: 'Whether a tier is valid is cached',
    reads: ['body'],
    keep: (keyOf) => (handlers) => {
      const keyOfBody = cacheByObject((request: ParsedRequest) => textOf(keyOf({ ...request, filters: [] })));
      return { isValid: remember(handlers.isValid, (tier, request) => [tier.id, keyOfBody(request)]) };
    },
  },
];
