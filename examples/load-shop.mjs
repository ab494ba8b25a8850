// A loader to start from, for an imaginary API that creates one thing for each POST and answers with its id.
//
//   npx conformance world | node load-shop.mjs > shop.ids.yaml
//
// Standard input: the world. Standard output: the file that `bindings` of a target file names.
import { json } from 'node:stream/consumers';

const { SHOP_API, SHOP_TOKEN } = process.env;
/** @type {any} */
const world = await json(process.stdin);
/** The ids of the shop, by world id. @type {Map<string, string>} */
const shopIds = new Map();

// What other things refer to comes first. The world lists tiers from the newest to the oldest, and the oldest is created
// first. An error ends the load: a part of the test data would look like a mistake of the shop.
for (const list of ['customers', 'products', 'skus', 'categories', 'campaigns', 'tiers'])
  for (const thing of world[list].toReversed()) await create(list, thing);

/** @param {string} list @param {{ id: string }} thing */
async function create(list, { id, ...thing }) {
  const response = await fetch(`${SHOP_API}/${list}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${SHOP_TOKEN}` },
    // World ids are unique texts, so whatever equals one refers to that thing.
    body: JSON.stringify(thing, (_, value) => shopIds.get(value) ?? value),
  });
  if (!response.ok) throw new Error(`${list} ${id}: ${response.status} ${await response.text()}`);
  const created = /** @type {any} */ (await response.json());
  shopIds.set(id, created.id);
  process.stdout.write(`${id}: ${JSON.stringify(created.id)}\n`);
}
