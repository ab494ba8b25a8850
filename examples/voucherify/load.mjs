// A worked example: loads the world into a Voucherify project with its REST API.
//
// WRITTEN FROM PUBLISHED DOCUMENTS, NEVER RUN AGAINST THE VENDOR. Tests run it against an imitation of that API.
//
//   npx conformance world | node load.mjs voucherify.ids.yaml >> voucherify.ids.yaml
//
// Standard input: the world. Standard output: a line `world id: project id` for each thing, as soon as it exists.
// Argument: the output of an earlier run. The script does not create again what is listed there.
// Environment: VOUCHERIFY_APP_ID and VOUCHERIFY_APP_TOKEN (server-side keys), VOUCHERIFY_API (if not the default).

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * @typedef {{ kind: 'customer', any_of: string[] } | { kind: 'product' | 'sku', id: string, at_least: number }
 *   | { kind: 'order_metadata', key: string, includes: string } | { kind: 'metadata', key: string, is: string }} Rule
 * @typedef {{ id: string, campaign_id: string, name: string, metadata: object, rules: Rule[] }} Tier
 * @typedef {{ id: string, name?: string }} Named
 * @typedef {{ customers: Named[], products: Named[], skus: (Named & { product_id: string })[], categories: Named[],
 *   campaigns: (Named & { category_ids: string[] })[], tiers: Tier[] }} World
 */

const { VOUCHERIFY_API, VOUCHERIFY_APP_ID = '', VOUCHERIFY_APP_TOKEN = '' } = process.env;
const api = (VOUCHERIFY_API || 'https://api.voucherify.io').replace(/\/+$/, '');
/** The prefix of all names and source ids, except the names of tiers. */
const prefix = 'conformance';
/** Rules identify customers by this metadata key, because no rule can refer to a customer id. */
const customerKey = 'conformance_id';
/** A discount needs a price. */
const price = 1_000;
const minute = 60_000;
/** @type {Readonly<Record<number, string>>} */
const hints = {
  401: 'Check that VOUCHERIFY_APP_ID and VOUCHERIFY_APP_TOKEN are the server-side keys of the project.',
  409: `Name the output of the run that created it, or remove everything named '${prefix} …' from the project.`,
};

/** The project ids by world id. A rule has no id in the world: its key is a digest. @type {Map<string, string>} */
const projectIds = new Map();
/** Whether an earlier request may have created the next thing. */
let mayExist = false;

/** A problem that the user has to solve. */
class LoadError extends Error {
  /** @param {string} message @param {number} [status] that of a response, or 0 if the connection broke */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/**
 * Creates what does not exist: first what other things refer to, then the tiers from the oldest to the newest.
 *
 * @param {World} world
 */
async function load({ customers, products, skus, categories, campaigns, tiers }) {
  const oldestFirst = tiers.toReversed();
  checkOrder(oldestFirst);
  for (const [hierarchy, { id, name }] of categories.entries()) {
    const body = { name: `${prefix} ${name}`, hierarchy };
    await create(id, '/v1/categories', body, () => findNew('/v1/categories', body.name));
  }
  // Before the other things: campaign names are unique, so a world that is loaded twice is noticed here.
  for (const { id, name, category_ids } of campaigns) {
    const [category, ...others] = category_ids;
    if (others.length > 0 && !projectIds.has(id))
      printMessage(`A campaign has one category in Voucherify: '${name}' gets only its first.`);
    const category_id = category && getProjectId(category);
    const body = { name: `${prefix} ${name}`, campaign_type: 'PROMOTION', category_id };
    const path = `/v1/campaigns/${encodeURIComponent(body.name)}`;
    await create(id, '/v1/campaigns', body, () => call('GET', path).catch(ignore(404)));
  }
  for (const { id, name = id } of customers) {
    const body = { source_id: `${prefix}-${id}`, name: `${prefix} ${name}`, metadata: { [customerKey]: id } };
    await create(id, '/v1/customers', body);
  }
  for (const { id, name = id } of products) {
    await create(id, '/v1/products', { source_id: `${prefix}-${id}`, name: `${prefix} ${name}`, price });
  }
  for (const { id, name = id, product_id } of skus) {
    const body = { source_id: `${prefix}-${id}`, sku: `${prefix} ${name}`, price };
    await create(id, `/v1/products/${getProjectId(product_id)}/skus`, body);
  }
  for (const tier of oldestFirst) await createTier(tier);
}

/** Refuses to create a tier that would be newer than it must be. @param {Tier[]} oldestFirst */
function checkOrder(oldestFirst) {
  const missing = oldestFirst.findIndex(({ id }) => !projectIds.has(id));
  const newer = missing < 0 ? undefined : oldestFirst.slice(missing).find(({ id }) => projectIds.has(id));
  if (newer === undefined) return;
  const names = `Tier '${oldestFirst[missing]?.name}' must be older than '${newer.name}'`;
  throw new LoadError(`${names}, which exists already. Load the world into another project.`);
}

/** @param {Tier} tier */
async function createTier({ id, name, campaign_id, metadata, rules }) {
  if (projectIds.has(id)) return;
  const rule = rules.length === 0 ? undefined : await createRule(rules);
  const action = { discount: { type: 'PERCENT', percent_off: 10, effect: 'APPLY_TO_ORDER' } };
  const body = { name, action, metadata, validation_rules: rule && [rule] };
  const path = `/v1/promotions/${getProjectId(campaign_id)}/tiers`;
  const find = () => findNew(path, name);
  await create(id, path, body, find, async (tier) => {
    const assigned = tier.validation_rule_assignments?.data ?? [];
    if (rule === undefined || assigned.some((/** @type {any} */ { rule_id }) => rule_id === rule)) return;
    // Without its rule the tier is valid for everybody. Status 409 says that it has the rule.
    const assignment = { related_object_type: 'promotion_tier', related_object_id: tier.id };
    await call('POST', `/v1/validation-rules/${rule}/assignments`, assignment).catch(ignore(409));
  });
}

/**
 * Creates the validation rule for the rules of a tier. Tiers with the same rules share it.
 *
 * @param {Rule[]} rules
 * @returns {Promise<string>} the project id
 */
function createRule(rules) {
  const texts = rules.map((rule) => JSON.stringify(rule.kind === 'customer' ? rule.any_of.toSorted() : rule));
  const key = `rule_${createHash('sha256').update(texts.join()).digest('hex').slice(0, 24)}`;
  /** @type {Record<string, unknown>} */
  const numbered = {};
  const groups = rules.map((rule) => {
    const numbers = createConditions(rule).map((condition) => {
      const number = String(Object.keys(numbered).length + 1);
      numbered[number] = condition;
      return number;
    });
    return numbers.length === 1 ? numbers[0] : `(${numbers.join(' or ')})`;
  });
  const name = `${prefix} ${key}`;
  const body = { name, context_type: 'global', rules: { ...numbered, logic: groups.join(' and ') } };
  const newest = '/v1/validation-rules?limit=100&page=1&order=-created_at';
  return create(key, '/v1/validation-rules', body, () => findNew(newest, name));
}

/** Creates the conditions for a rule: one of them must hold. @param {Rule} rule @returns {object[]} */
function createConditions(rule) {
  switch (rule.kind) {
    case 'customer':
      return rule.any_of.map((id) => createCondition('customer.metadata', { $is: [id] }, { property: customerKey }));
    case 'product':
    case 'sku': {
      const thing = { id: getProjectId(rule.id), type: 'product_or_sku', object: rule.kind, source_id: null };
      // Adds up the items of an order. With order.items.quantity, one item must have the whole quantity.
      const quantity = createCondition('order.items.aggregated_quantity', { $more_than_or_equal: [rule.at_least] });
      return [createCondition('order.items.any', { $is: [thing] }, { rules: { 1: quantity, logic: '1' } })];
    }
    case 'order_metadata':
      return [createCondition('order.metadata', { $in: [rule.includes] }, { property: rule.key })];
    case 'metadata':
      return [createCondition('redemption.metadata', { $is: [rule.is] }, { property: rule.key })];
    default:
      throw new LoadError(`Unknown kind of rule: ${JSON.stringify(rule)}. Add it to createConditions.`);
  }
}

/** @param {string} name @param {object} conditions @param {object} [more] */
function createCondition(name, conditions, more) {
  return { name, conditions, rules: {}, ...more };
}

/**
 * Creates a thing unless it exists, and prints its id.
 *
 * @param {string} key the world id, or the key of a rule
 * @param {string} path
 * @param {object} body
 * @param {() => Promise<any>} [find] looks for a thing that an earlier request may have created; not needed where the
 *   API updates a thing with the same source_id
 * @param {(thing: any) => Promise<void>} [complete] does the rest before the id is printed
 * @returns {Promise<string>} the project id
 */
async function create(key, path, body, find = async () => undefined, complete = async () => {}) {
  const existing = projectIds.get(key);
  if (existing !== undefined) return existing;
  const id = await retry(async () => {
    const thing = (mayExist ? await find() : undefined) ?? (await call('POST', path, body));
    if (typeof thing.id !== 'string' || !/^[\w-]+$/.test(thing.id) || redact(thing.id) !== thing.id)
      throw new LoadError(`POST ${path} returned no usable id.`);
    await complete(thing);
    return thing.id;
  });
  mayExist = false;
  projectIds.set(key, id);
  // The suite does not know rules, so they are comments.
  process.stdout.write(`${key.startsWith('rule_') ? '# ' : ''}${key}: ${id}\n`);
  return id;
}

/**
 * Looks for a thing by its name. A thing with a known id is another one: two tiers may have the same name.
 *
 * @param {string} path @param {string} name
 */
async function findNew(path, name) {
  const answer = await call('GET', path);
  const list = answer[answer.data_ref ?? 'data'];
  // A missing list must not look like an empty one.
  if (!Array.isArray(list)) throw new LoadError(`GET ${path} returned no list.`);
  const known = new Set(projectIds.values());
  return list.find((thing) => thing.name === name && !known.has(thing.id));
}

/** @param {string} id of the world */
function getProjectId(id) {
  const found = projectIds.get(id);
  if (found === undefined) throw new LoadError(`The world refers to '${id}', which it does not contain.`);
  return found;
}

/**
 * Repeats an operation while nobody knows whether the API did what it was asked for.
 *
 * @template T
 * @param {() => Promise<T>} operation
 * @returns {Promise<T>}
 */
async function retry(operation) {
  for (const seconds of [1, 5, 15]) {
    try {
      return await operation();
    } catch (error) {
      const { status = 200, message } = /** @type {LoadError} */ (error);
      if (status !== 0 && status !== 408 && status < 500) throw error;
      mayExist = true;
      printMessage(`${message}\nTrying again in ${seconds} s.`);
      await sleep(seconds * 1_000);
    }
  }
  return operation();
}

/** @param {number} status */
function ignore(status) {
  return (/** @type {LoadError} */ error) => {
    if (error.status !== status) throw error;
  };
}

/**
 * Sends a request, again after each response with status 429.
 *
 * @param {string} method @param {string} path @param {object} [body]
 * @returns {Promise<any>} the parsed body
 */
async function call(method, path, body) {
  const keys = { 'X-App-Id': VOUCHERIFY_APP_ID, 'X-App-Token': VOUCHERIFY_APP_TOKEN };
  const request = {
    method,
    headers: { ...keys, 'Content-Type': 'application/json' },
    redirect: /** @type {const} */ ('manual'), // Keys must not go to another host.
    signal: AbortSignal.timeout(minute),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  let response;
  let text;
  try {
    response = await fetch(`${api}${path}`, request);
    text = await response.text();
  } catch (error) {
    const { cause, message } = /** @type {Error & { cause?: { code?: string } }} */ (error);
    throw new LoadError(`${method} ${path}: ${cause?.code ?? message}`, 0);
  }
  const { status, ok } = response;
  if (status === 429) {
    await waitForRateLimit(response.headers);
    return call(method, path, body);
  }
  const answer = `${method} ${path} returned ${status}: ${redact(text).slice(0, 1_000)}`;
  if (!ok) throw new LoadError([answer, hints[status]].join('\n').trim(), status);
  try {
    return JSON.parse(text);
  } catch {
    throw new LoadError(`${answer}\nThis is not JSON. Check that VOUCHERIFY_API is the address of the API.`);
  }
}

/** @param {Headers} headers of a response with status 429 */
async function waitForRateLimit(headers) {
  const retryAfter = Number(headers.get('retry-after')) * 1_000;
  // In seconds by the clock of the server, which may differ from ours.
  const serverTime = Date.parse(headers.get('date') ?? '') || Date.now();
  const untilReset = (Number(headers.get('x-rate-limit-retry')) + 1) * 1_000 - serverTime;
  const wait = [retryAfter, untilReset, minute].find((ms) => ms > 0) ?? minute;
  // Limits count by minute or by hour.
  if (wait > 120 * minute)
    throw new LoadError('The rate limit is used up for more than two hours. Run this again later.');
  printMessage(`The rate limit is used up. Waiting until ${new Date(Date.now() + wait).toISOString()}.`);
  await sleep(wait);
}

/** @param {string} text which may repeat the keys */
function redact(text) {
  const keys = Object.entries({ VOUCHERIFY_APP_TOKEN, VOUCHERIFY_APP_ID }).filter(([, key]) => key !== '');
  return keys.reduce((redacted, [name, key]) => redacted.replaceAll(key, `$${name}`), text);
}

/** @param {string} message */
function printMessage(message) {
  process.stderr.write(`${redact(message)}\n`);
}

/** @param {string} file the output of an earlier run */
function readEarlierOutput(file) {
  for (const [n, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    const [, key, id] = /^(?:# )?(\w+): ([\w-]+)$/.exec(line) ?? [];
    if (key !== undefined && id !== undefined) projectIds.set(key, id);
    else if (line !== '') throw new LoadError(`${file}:${n + 1} is not a line of an earlier output: '${line}'`);
  }
  // An interrupted run may have created one thing more.
  mayExist = true;
}

try {
  if (VOUCHERIFY_APP_ID === '' || VOUCHERIFY_APP_TOKEN === '')
    throw new LoadError('Set VOUCHERIFY_APP_ID and VOUCHERIFY_APP_TOKEN to the server-side keys of the project.');
  if (!/^(https:\/\/|http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:|$))/.test(api))
    throw new LoadError(`VOUCHERIFY_API is '${api}'. Set it to an address that begins with https://.`);
  const [, , earlier] = process.argv;
  if (earlier !== undefined) readEarlierOutput(earlier);
  await load(/** @type {World} */ (await json(process.stdin)));
} catch (error) {
  const { message, stack } = /** @type {Error} */ (error);
  // System errors have a code, and their message names the file.
  printMessage(
    error instanceof LoadError || Object.hasOwn(/** @type {Error} */ (error), 'code') ? message : `${stack}`,
  );
  process.exitCode = 1;
}
