// Creates the test data with the management API of `conformance serve --manage`.
//
// Standard input: the world as JSON. With --reuse, its member "existing" lists what exists already:
// { "world id": "deployment id", … }. Standard output: the same for everything that exists now.
// Environment: BASE_URL, CLIENT_APPLICATION_ID, CLIENT_TOKEN.
import { json } from 'node:stream/consumers';

/** @type {any} */
const world = await json(process.stdin);
const { BASE_URL, CLIENT_APPLICATION_ID = '', CLIENT_TOKEN = '' } = process.env;
const created = new Map(Object.entries(world.existing ?? {}));

/** @param {string} list @param {any} thing */
async function create(list, { id, ...thing }) {
  if (created.has(id)) return;
  const response = await fetch(`${BASE_URL}/manage/${list}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-Client-Application-Id': CLIENT_APPLICATION_ID,
      'X-Client-Token': CLIENT_TOKEN,
    },
    body: JSON.stringify(thing),
  });
  if (!response.ok) throw new Error(`${list} ${id}: ${response.status} ${await response.text()}`);
  const { id: ownId } = /** @type {any} */ (await response.json());
  created.set(id, ownId);
}

/** @param {string} id of a created thing @returns its id in the deployment */
const getOwnId = (id) => created.get(id);

/** @param {any} rule */
const convertRule = (rule) => {
  if (rule.kind === 'customer') return { ...rule, any_of: rule.any_of.map(getOwnId) };
  return 'id' in rule ? { ...rule, id: getOwnId(rule.id) } : rule;
};

// Referenced things come first. The world lists tiers newest first, so the last one is created first.
for (const customer of world.customers) await create('customers', customer);
for (const product of world.products) await create('products', product);
for (const sku of world.skus) await create('skus', { ...sku, product_id: getOwnId(sku.product_id) });
for (const category of world.categories) await create('categories', category);
for (const campaign of world.campaigns) {
  await create('campaigns', { ...campaign, category_ids: campaign.category_ids.map(getOwnId) });
}
for (const { created_at, ...tier } of world.tiers.toReversed()) {
  await create('tiers', { ...tier, campaign_id: getOwnId(tier.campaign_id), rules: tier.rules.map(convertRule) });
}

process.stdout.write(JSON.stringify(Object.fromEntries(created)));
