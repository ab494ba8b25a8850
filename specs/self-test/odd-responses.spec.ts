/** Conforming deployments whose responses have an odd shape, and ones that refuse some documented requests. */

import { expect, test } from '@playwright/test';
import type { HttpRequest } from '../../src/http/exchange.js';
import type { Certificate } from '../../src/report/certificate.js';
import { type Answer, certifyInProcess, createReference, requirementSuite as suite } from './support/in-process.js';

type Shape = (ids: readonly string[]) => { readonly body: string; readonly type?: string };

const { world } = suite;
const json = (value: unknown) => ({ body: JSON.stringify(value) });
const nest = (levels: number, text: string) => `${'{"a":'.repeat(levels)}${text}${'}'.repeat(levels)}`;

/** The reference deployment, which lists all promotions in such a shape. */
function respondWith(shape: Shape): Answer {
  return createReference({
    change: (handlers) => ({
      list: (tiers, request) => {
        const { body, type = 'application/json' } = shape(tiers.map(({ id }) => id));
        return { ...handlers.list([], request), status: 200, headers: [['Content-Type', type]], body };
      },
    }),
  });
}

async function certify(respond: Answer, tierPatterns?: readonly string[]): Promise<Certificate> {
  const stated = tierPatterns === undefined ? {} : { tierPatterns };
  return (await certifyInProcess(respond, { suite, ...stated })).certificate;
}

/** One of each kind is in the short run: another id, another key, another shape for one result. */
const quick = ['keys with a prefix', 'one result as an object'];

const readable: Readonly<Record<string, readonly [shape: Shape, stated: readonly string[]]>> = {
  'ids with a prefix': [(ids) => json({ data: ids.map((id) => ({ key: `tier-${id}` })) }), ['/data/*/key']],
  'ids with a suffix': [(ids) => json(ids.map((id) => `${id}-v1`)), ['/*']],
  'keys with a prefix': [(ids) => json(Object.fromEntries(ids.map((id) => [`tier${id}`, { isValid: true }]))), ['/*']],
  'one result as an object': [
    (ids) => json({ data: ids.length === 1 ? { id: ids[0] } : ids.map((id) => ({ id })) }),
    ['/data/*/id', '/data/id'],
  ],
  'one result as a text': [(ids) => json({ data: ids.length === 1 ? ids[0] : ids }), ['/data', '/data/*']],
  'plain text for nothing': [
    (ids) => (ids.length === 0 ? { body: 'no promotions', type: 'text/plain' } : json(ids)),
    ['/*'],
  ],
};

for (const [what, [shape, stated]] of Object.entries(readable))
  test(`${what}: conforms, with and without the line in the target file`, {
    tag: quick.includes(what) ? [] : '@long',
  }, async () => {
    for (const patterns of [undefined, stated]) {
      const { verdict, incomplete_because: reasons } = await certify(respondWith(shape), patterns);
      expect(verdict, reasons?.join('\n')).toBe('conforms');
    }
    // Nothing of a violation is hidden.
    const older = world.tiers[150]?.id ?? '';
    expect((await certify(respondWith((ids) => shape([...ids, older])))).verdict).toBe('does-not-conform');
    expect((await certify(respondWith((ids) => shape(ids.slice(1))))).verdict).toBe('does-not-conform');
  });

const unreadable: Readonly<Record<string, readonly [shape: Shape, reason: RegExp]>> = {
  '5,000 levels of nesting': [(ids) => ({ body: nest(5_000, JSON.stringify(ids)) }), /nested too deeply/],
  NDJSON: [
    (ids) => ({ body: ids.map((id) => `${JSON.stringify({ id })}\n`).join(''), type: 'application/x-ndjson' }),
    /NDJSON.*adapter/,
  ],
  XML: [
    (ids) => ({ body: `<list>${ids.map((id) => `<promotion id="${id}"/>`).join('')}</list>`, type: 'text/xml' }),
    /is XML.*adapter/,
  ],
  CSV: [(ids) => ({ body: ['id', ...ids].join('\n'), type: 'text/csv' }), /is CSV.*adapter/],
};

for (const [what, [shape, reason]] of Object.entries(unreadable))
  test(`${what}: incomplete with a true reason`, async () => {
    const { verdict, incomplete_because: reasons } = await certify(respondWith(shape));
    expect(verdict).toBe('incomplete');
    expect(reasons?.join('\n')).toMatch(reason);
  });

/** The reference deployment behind something that refuses some requests. */
function refuse(status: number, isRefused: (request: HttpRequest) => boolean): Answer {
  const respond = createReference();
  return (request) => (isRefused(request) ? { status, headers: [], body: 'no' } : respond(request));
}

/** Every third time that an equal request comes. */
function createCounter(): (request: HttpRequest) => boolean {
  const counts = new Map<string, number>();
  return ({ path, body }) => {
    const key = `${path} ${body}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return (counts.get(key) ?? 0) % 3 === 2;
  };
}

/** Requests that are refused, and what the reason says that they have in common. */
const listRefusals = (): [what: string, isRefused: (request: HttpRequest) => boolean, common: RegExp][] => [
  ['requests with brackets', ({ path }) => path.includes('['), /with a \w+ filter, brackets in the query is/],
  ['filters by campaign', ({ path }) => path.includes('promotion_id'), /with a campaign filter/],
  ['letters beyond ASCII', ({ body = '' }) => /[^\0-\x7f]/.test(body), /letters beyond ASCII in the body/],
  ['one of equal requests', createCounter(), /This request is refused/],
];

for (const status of [401, 403])
  for (const [what, isRefused, common] of listRefusals())
    test(`${status} to ${what} never fails, and the reason names what they have in common`, async () => {
      const { verdict, incomplete_because: reasons } = await certify(refuse(status, isRefused));
      expect(verdict, reasons?.join('\n')).toBe('incomplete');
      expect(reasons?.join('\n')).toMatch(common);
    });
