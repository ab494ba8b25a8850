// Creates the world in a deployment with the management API of `conformance serve --manage`.
//
// Standard input: the world as JSON; with --reuse, its member "existing" has what is there: { "id in the world": "id in
// the deployment", … }. Environment: BASE_URL, CLIENT_APPLICATION_ID, CLIENT_TOKEN.
// Standard output: the same of all that there is now, or of what was created.
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
  const { id: its } = /** @type {any} */ (await response.json());
  created.set(id, its);
}

/**
 * The deployment's id of something that was created before.
 *
 * @param {string} id
 */
const own = (id) => created.get(id);

/** @param {any} rule */
const ruleOf = (rule) => {
  if (rule.kind === 'customer') return { ...rule, any_of: rule.any_of.map(own) };
  return 'id' in rule ? { ...rule, id: own(rule.id) } : rule;
};

// What is referred to comes first. The world lists tiers newest first, so the last one is created first.
for (const customer of world.customers) await create('customers', customer);
for (const product of world.products) await create('products', product);
for (const sku of world.skus) await create('skus', { ...sku, product_id: own(sku.product_id) });
for (const category of world.categories) await create('categories', category);
for (const campaign of world.campaigns) {
  await create('campaigns', { ...campaign, category_ids: campaign.category_ids.map(own) });
}
for (const { created_at, ...tier } of world.tiers.toReversed()) {
  await create('tiers', { ...tier, campaign_id: own(tier.campaign_id), rules: tier.rules.map(ruleOf) });
}

process.stdout.write(JSON.stringify(Object.fromEntries(created)));
