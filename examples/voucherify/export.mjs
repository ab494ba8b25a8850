// A worked example: prints a data file with what a Voucherify project holds, so that nothing has to be loaded. Only reads.
//
// WRITTEN FROM PUBLISHED DOCUMENTS, NEVER RUN AGAINST THE VENDOR. Tests run it against an imitation of that API.
//
//   node export.mjs > project.json
//   npx conformance certify --target target.yaml --data project.json
//
// Environment: VOUCHERIFY_APP_ID and VOUCHERIFY_APP_TOKEN (server-side keys), VOUCHERIFY_API (if not the default).

import { setTimeout as sleep } from 'node:timers/promises';

/** @typedef {Record<string, any>} Thing */

const { VOUCHERIFY_API, VOUCHERIFY_APP_ID = '', VOUCHERIFY_APP_TOKEN = '' } = process.env;
const api = (VOUCHERIFY_API || 'https://api.voucherify.io').replace(/\/+$/, '');

/** @param {string} description of what the format cannot express */
const createOther = (description) => ({ kind: 'other', description });

/** Reads a list, page by page. @param {string} path @returns {Promise<Thing[]>} */
async function readList(path) {
  const things = new Map();
  for (let page = 1; ; page += 1) {
    const answer = await read(`${path}${path.includes('?') ? '&' : '?'}limit=100&page=${page}`);
    const list = answer[answer.data_ref ?? 'data'];
    if (!Array.isArray(list)) throw new Error(`GET ${path} returned no list.`);
    const before = things.size;
    for (const thing of list) things.set(thing.id, thing);
    // Some lists have no pages: each page is the whole list.
    if (list.length < 100 || things.size === before) return [...things.values()];
  }
}

/** @param {string} path @returns {Promise<Thing>} */
async function read(path) {
  const headers = { 'X-App-Id': VOUCHERIFY_APP_ID, 'X-App-Token': VOUCHERIFY_APP_TOKEN };
  // Keys must not go to another host.
  const response = await fetch(`${api}${path}`, { headers, redirect: 'manual', signal: AbortSignal.timeout(60_000) });
  if (response.status === 429) {
    await sleep((Number(response.headers.get('retry-after')) || 60) * 1_000);
    return read(path);
  }
  if (!response.ok) throw new Error(`GET ${path} returned ${response.status}.`);
  return /** @type {Thing} */ (await response.json());
}

/**
 * Maps a validation rule to rules that must all hold.
 *
 * @param {Thing} stored
 * @param {Thing[]} customers
 */
function mapRule({ name, rules: { logic = '1', ...numbered } }, customers) {
  const groups = String(logic).split(/ and /i);
  // Brackets around "and", and "or" without brackets, mean something else.
  if (!groups.every((group) => /^(\d+|\(\d+( or \d+)*\))$/i.test(group))) return [createOther(name)];
  return groups.map((group) => {
    const conditions = (group.match(/\d+/g) ?? []).map((number) => numbered[number] ?? {});
    const ids = conditions.map((condition) => findCustomers(condition, customers));
    const any_of = [...new Set(ids.flatMap((found) => found ?? []))];
    if (any_of.length > 0 && !ids.includes(undefined)) return { kind: 'customer', any_of };
    return (conditions.length === 1 ? mapCondition(conditions[0]) : undefined) ?? createOther(name);
  });
}

/** Rules name customers by their metadata. @param {Thing} condition @param {Thing[]} customers */
function findCustomers({ name, property, conditions = {} }, customers) {
  const [values, ...others] = Object.values(conditions);
  if (name !== 'customer.metadata' || others.length > 0 || !(conditions.$is ?? conditions.$in)) return undefined;
  return customers.filter(({ metadata }) => values.includes(metadata?.[property])).map(({ id }) => id);
}

/** @param {Thing | undefined} condition @returns {object | undefined} what it means, if the format can express it */
function mapCondition({ name, property, conditions = {}, rules = {} } = {}) {
  const [[operator, values] = ['', []], ...others] = Object.entries(conditions);
  const [value, ...more] = values;
  if (others.length + more.length > 0 || !['$is', '$in'].includes(operator)) return undefined;
  if (name === 'redemption.metadata' && typeof value === 'string')
    return { kind: 'metadata', key: property, is: value };
  if (name === 'order.metadata' && typeof value === 'string')
    return { kind: 'order_metadata', key: property, includes: value };
  const { logic: _, ...inner } = rules;
  const [quantity, ...further] = Object.values(inner);
  const at_least = quantity === undefined ? 1 : quantity.conditions?.$more_than_or_equal?.[0];
  // With `order.items.quantity`, one item must have the whole quantity: that is open to the suite, too.
  const isQuantity = quantity === undefined || /^order\.items\.(aggregated_)?quantity$/.test(quantity.name);
  const isItem = name === 'order.items.any' && ['product', 'sku'].includes(value?.object);
  if (!isItem || !isQuantity || further.length > 0 || !Number.isInteger(at_least) || at_least < 1) return undefined;
  return { kind: value.object, id: value.id, at_least };
}

/** Explains what else restricts a tier or a campaign. @param {Thing} [thing] */
function listRestrictions({ active = true, start_date, expiration_date, validity_timeframe } = {}) {
  const isRestricted = !active || start_date || expiration_date || validity_timeframe;
  return isRestricted ? [createOther('It is not active, or restricted in time.')] : [];
}

async function exportProject() {
  const customers = await readList('/v1/customers');
  const products = await readList('/v1/products');
  const skus = [];
  for (const { id } of products)
    for (const sku of await readList(`/v1/products/${id}/skus`)) skus.push({ id: sku.id, product_id: id });
  const categories = await readList('/v1/categories');
  const campaigns = await readList('/v1/campaigns?campaign_type=PROMOTION');
  const tiers = await readList('/v1/promotions/tiers?order=-created_at');
  const rules = new Map((await readList('/v1/validation-rules')).map((rule) => [rule.id, rule]));
  const assignments = await readList('/v1/validation-rules-assignments');
  const campaignsById = new Map(campaigns.map((campaign) => [campaign.id, campaign]));
  /** @param {string | undefined} id of a tier or a campaign */
  const listRules = (id) =>
    assignments
      .filter(({ related_object_id }) => related_object_id === id)
      .flatMap(({ rule_id }) => {
        const rule = rules.get(rule_id);
        return rule === undefined ? [createOther(`The validation rule ${rule_id}.`)] : mapRule(rule, customers);
      });
  return {
    customers: customers.map(({ id }) => ({ id })),
    products: products.map(({ id }) => ({ id })),
    skus,
    categories: categories.map(({ id, name }) => ({ id, name })),
    campaigns: campaigns.map(({ id, name, category_id }) => ({
      ...{ id, name },
      category_ids: category_id ? [category_id] : [],
    })),
    tiers: tiers
      .map((tier) => ({ tier, campaign: campaignsById.get(tier.campaign_id ?? tier.campaign?.id) }))
      .filter(({ campaign }) => campaign !== undefined)
      .map(({ tier, campaign }) => ({
        id: tier.id,
        campaign_id: campaign?.id,
        name: tier.name,
        created_at: tier.created_at,
        metadata: Object.fromEntries(
          Object.entries(tier.metadata ?? {}).filter(([, value]) => value !== null && typeof value !== 'object'),
        ),
        rules: [
          ...listRules(tier.id),
          ...listRules(campaign?.id),
          ...listRestrictions(tier),
          ...listRestrictions(campaign),
        ],
      })),
  };
}

try {
  if (VOUCHERIFY_APP_ID === '' || VOUCHERIFY_APP_TOKEN === '')
    throw new Error('Set VOUCHERIFY_APP_ID and VOUCHERIFY_APP_TOKEN to the server-side keys of the project.');
  if (!/^(https:\/\/|http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:|$))/.test(api))
    throw new Error(`VOUCHERIFY_API is '${api}'. Set it to an address that begins with https://.`);
  process.stdout.write(`${JSON.stringify(await exportProject(), null, 1)}\n`);
} catch (error) {
  process.stderr.write(`${/** @type {Error} */ (error).message}\n`);
  process.exitCode = 1;
}
