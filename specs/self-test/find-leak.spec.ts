import { expect, test } from '@playwright/test';
import type { RequestPatch } from '../../src/cases/request-draft.js';
import { createOracle } from '../../src/contract/oracle.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { findLeak } from '../../src/judge/find-leak.js';
import { loadWorld } from '../../src/world/world-file.js';
import { checkEachRow } from './support/check-each-row.js';
import { createPatchedRequest } from './support/patched-request.js';

const world = loadWorld();

const createRequest = (...patches: readonly RequestPatch[]) => createPatchedRequest(world, ...patches);
const listRequired = (request: HttpRequest) => {
  const oracle = createOracle(request, world);
  return new Set(world.tiers.filter((tier) => oracle.returned(tier) === 'required').map(({ id }) => id));
};

const ann: RequestPatch = { body: { customer: { id: '<customer ann>' } } };
const store: RequestPatch = { body: { metadata: { store_name: 'Broadway' } } };
const plates: RequestPatch = { body: { order: { items: [{ product_id: '<product plate>', quantity: 3 }] } } };
const summer: RequestPatch = { filter: { campaign: 'summer' } };

const rows: readonly (readonly [part: string, other: readonly RequestPatch[], used: readonly RequestPatch[]])[] = [
  ['its customer', [ann, plates], [ann]],
  ['its metadata', [store, plates], [store]],
  ['its order', [plates, ann], [plates]],
  ['its filter', [summer, ann], [summer]],
  ['its body', [ann, plates, summer], [ann, plates]],
  ['all of it', [ann, plates, summer], [ann, plates, summer]],
];
test('The part of another request that explains the result is found', () =>
  checkEachRow(rows, (part, other, used) => {
    const returned = listRequired(createRequest(...used));
    const leak = findLeak(createRequest(), createRequest(...other), returned, world);
    expect(leak).toMatchObject({ part, isComplete: true });
    expect(leak?.explained).toBeGreaterThan(0);
  }));

test('Metadata of another request that is added to the own metadata is found', () => {
  const web: RequestPatch = { body: { metadata: { sales_channel: 'web' } } };
  const leak = findLeak(
    createRequest(store),
    createRequest(web, plates),
    listRequired(createRequest(store, web)),
    world,
  );
  expect(leak).toMatchObject({ part: 'its metadata', isComplete: true });
});

test('A correct result has no leak, and neither has a mistake that the other request does not explain', () => {
  const own = createRequest();
  expect(findLeak(own, createRequest(ann), listRequired(own), world)).toBeUndefined();
  const wrong = new Set([...listRequired(own), world.ids.tier.get('for-ben') as string]);
  expect(findLeak(own, createRequest(ann), wrong, world)).toBeUndefined();
});
