// A worked example: creates the test data in a Voucherify project with its REST API.
//
// WRITTEN FROM PUBLISHED DOCUMENTS, NEVER RUN AGAINST THE VENDOR. Tests run it against an imitation of that API. They
// show that this script does what it says, not that the vendor agrees.
//
// A campaign has one category there; a campaign with several gets its first one.
// How quantities of the same product or SKU add up is decided here, not by the deployment: the rules use
// order.items.aggregated_quantity, which adds up the items of an order.
// Two rules are guesses: the rule for a SKU, and the rule for a value in a list of order metadata ($in). The final check
// tries every rule.
//
//   conformance provision --target targets/voucherify/target.yaml     creates, resumes or only checks
//   node targets/voucherify/provision.mjs tear-down                   removes what it created, nothing else
//
// Standard input: the world as JSON. Standard output: { "world id": "project id", … }.
// Environment: VOUCHERIFY_APP_ID and VOUCHERIFY_APP_TOKEN (server-side keys), VOUCHERIFY_API (the address of another
// cluster) and VOUCHERIFY_MANIFEST (the file that lists what was created).

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { json } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {{ kind: 'customer', any_of: string[] } | { kind: 'product' | 'sku', id: string, at_least: number }
 *   | { kind: 'order_metadata', key: string, includes: string } | { kind: 'metadata', key: string, is: string }} Rule
 * @typedef {{ id: string, name: string, campaign_id: string, metadata: Record<string, unknown>, rules: Rule[] }} Tier
 * @typedef {{ id: string, name: string }} Named
 * @typedef {{ customers: Named[], products: Named[], skus: (Named & { product_id: string })[], categories: Named[],
 *   campaigns: (Named & { category_ids: string[] })[], tiers: Tier[], existing?: Record<string, string> }} World
 * @typedef {'category' | 'customer' | 'product' | 'sku' | 'rule' | 'campaign' | 'tier'} Kind
 * @typedef {{ kind: Kind, key: string, id: string, body?: string, checked?: true }} Thing
 *   a created thing; `key` is its world id, or the name of a rule; `body` is the digest of a rule's body
 * @typedef {{ kind: Kind, key: string, name: string, campaign?: string }} Pending
 *   a thing that is being created, with the name (and for a tier the campaign id) that finds it again
 * @typedef {{ now(): number, sleep(ms: number): Promise<unknown> }} Clock
 * @typedef {{ url: string, id: string, token: string }} Access
 * @typedef {{ access: Access, manifest: string, say?: (line: string) => void, clock?: Clock }} Setting
 */

const kinds = /** @type {const} */ (['category', 'customer', 'product', 'sku', 'rule', 'campaign', 'tier']);
const second = 1_000;
const minute = 60 * second;
/** The longest wait for a rate limit; limits count by minute or by hour. */
const longestWait = 2 * 60 * minute;
/** The prefix of all names except those of tiers. */
const prefix = 'conformance';
/** Rules identify a customer by this metadata key, because no rule can refer to a customer id. */
const customerKey = 'conformance_name';

/** A problem that the user has to solve. Its message says how. */
export class ProvisionError extends Error {}

/** The API refused a call. */
class Refusal extends ProvisionError {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** A call that may or may not have taken effect. */
class UnknownResult extends Error {}

// The API ------------------------------------------------------------------------------------------------------------

/** @type {Clock} */
const systemClock = { now: Date.now, sleep: (ms) => setTimeout(ms) };

/**
 * A client for the API. It respects the rate limits.
 *
 * @param {Setting} setting
 */
function connect({ access: { url, id, token }, say = () => {}, clock = systemClock }) {
  let notBefore = 0;
  let serverTime = clock.now();
  const headers = { 'X-App-Id': id, 'X-App-Token': token, 'Content-Type': 'application/json' };

  async function pause() {
    const wait = notBefore - clock.now();
    if (wait <= 0) return;
    const until = new Date(notBefore).toISOString();
    if (wait > longestWait)
      throw new ProvisionError(`The rate limit is used up until ${until}. Run the script again then: it resumes here.`);
    if (wait > 5 * second)
      say(`The rate limit is used up: waiting until ${until}. You can interrupt the script and run it again later.`);
    await clock.sleep(wait);
  }

  /** @param {Response} response */
  function noteLimits({ status, headers }) {
    // The server's clock may differ from ours.
    serverTime = Date.parse(headers.get('date') ?? '') || clock.now();
    const reset = Number(headers.get('x-rate-limit-retry')) * second - serverTime;
    const untilReset = reset > 0 ? reset + second : 0;
    const stated = Number(headers.get('retry-after')) * second;
    if (status === 429) notBefore = clock.now() + (stated > 0 ? stated : untilReset || minute);
    else if (headers.get('x-rate-limit-remaining') === '0') notBefore = clock.now() + untilReset;
  }

  /**
   * Sends one call, again after each 429.
   *
   * @param {string} method @param {string} path @param {unknown} [body]
   * @returns {Promise<any>} the parsed body
   */
  async function call(method, path, body) {
    await pause();
    let response;
    let text;
    try {
      response = await fetch(`${url}${path}`, {
        method,
        headers,
        redirect: 'manual', // Keys must not go to another host.
        signal: AbortSignal.timeout(minute),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      text = await response.text();
    } catch (error) {
      const { cause, message } = /** @type {Error & { cause?: { code?: string } }} */ (error);
      throw new UnknownResult(`${method} ${path}: ${cause?.code ?? message}`);
    }
    noteLimits(response);
    const { status } = response;
    if (status === 429) return call(method, path, body);
    if (status === 408 || status >= 500) throw new UnknownResult(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
    if (status < 200 || status > 299)
      throw new Refusal(status, `${method} ${path} returned ${status}: ${text.slice(0, 1_000)}${hints[status] ?? ''}`);
    try {
      return text === '' ? {} : JSON.parse(text);
    } catch {
      throw new ProvisionError(
        `${method} ${path} returned ${status} without JSON. Check that VOUCHERIFY_API is the address of the API.`,
      );
    }
  }

  /**
   * Repeats an operation a few times until its result is known.
   *
   * @template T
   * @param {() => Promise<T>} once
   * @param {() => Promise<T | undefined>} find checks whether it took effect after all
   * @returns {Promise<T>}
   */
  async function retry(once, find = async () => undefined) {
    for (const wait of [second, 5 * second, 15 * second]) {
      try {
        return await once();
      } catch (error) {
        if (!(error instanceof UnknownResult)) throw error;
        say(`${error.message}; trying again.`);
        await clock.sleep(wait);
        const found = await find();
        if (found !== undefined) return found;
      }
    }
    return once().catch((error) => {
      if (!(error instanceof UnknownResult)) throw error;
      throw new ProvisionError(`${error.message}. Run the script again later: it resumes here.`);
    });
  }

  /** @param {string} path @returns {Promise<any>} */
  const get = (path) => retry(() => call('GET', path));

  return {
    call,
    retry,
    get,
    sleep: clock.sleep,
    /** The time of the API, in milliseconds. */
    serverTime: () => serverTime,
    /**
     * Reads all pages of a list, newest first.
     *
     * @param {string} path @param {string} member the list in the response
     * @returns {Promise<any[]>}
     */
    async list(path, member) {
      const all = [];
      for (let page = 1; ; page++) {
        const query = `?limit=100&page=${page}&order=-created_at`;
        const some = listIn(await get(`${path}${query}`), member, path);
        all.push(...some);
        if (some.length < 100) return all;
      }
    },
    /** @param {string} path @returns {Promise<any>} undefined if there is no such thing */
    async find(path) {
      return await get(path).catch(ignoreNotFound);
    },
    /** @param {string} path @returns {Promise<any>} undefined if it was gone already */
    async remove(path) {
      return await retry(() => call('DELETE', path)).catch(ignoreNotFound);
    },
  };
}

/** @typedef {ReturnType<typeof connect>} Api */

/**
 * A missing list must not look like an empty one.
 *
 * @param {any} answer @param {string} member the list, unless `data_ref` names it @param {string} path
 * @returns {any[]}
 */
function listIn(answer, member, path) {
  const list = answer[answer.data_ref ?? member];
  if (!Array.isArray(list)) throw new ProvisionError(`GET ${path} returned no list '${member}'.`);
  return list;
}

/** @type {Record<number, string>} */
const hints = {
  401: '\nCheck that VOUCHERIFY_APP_ID and VOUCHERIFY_APP_TOKEN are the server-side keys of the project.',
  402: '\nThe plan does not allow it.',
  403: '\nCheck the role of the key.',
  409: '\nThe name is taken by something that the manifest does not list. Remove that in the dashboard.',
};

/** @param {unknown} error */
function ignoreNotFound(error) {
  if (error instanceof Refusal && error.status === 404) return undefined;
  throw error;
}

// The manifest ---------------------------------------------------------------------------------------------------

/**
 * Opens the file that lists what was created. It is rewritten before and after each creation, so that after a crash at
 * most one thing is unknown.
 *
 * @param {Setting} setting
 */
function openManifest({ access, manifest: file }) {
  // Identifies the project without its keys.
  const project = digest(`${access.url} ${access.id}`);
  /** @type {{ project: string, pending?: Pending, things: Thing[] }} */
  let state = { project, things: [] };
  if (existsSync(file)) {
    try {
      state = JSON.parse(readFileSync(file, 'utf8'));
    } catch {
      throw new ProvisionError(
        `'${file}' is not a manifest of this script. Restore it: the script cannot know otherwise what it created.`,
      );
    }
    if (state.project !== project)
      throw new ProvisionError(
        `'${file}' belongs to another project than VOUCHERIFY_API and VOUCHERIFY_APP_ID. Set VOUCHERIFY_MANIFEST to another file.`,
      );
  }
  const entry = (/** @type {Kind} */ kind, /** @type {string} */ key) =>
    state.things.find((thing) => thing.kind === kind && thing.key === key);

  function save() {
    const text = `${JSON.stringify(state, null, 1)}\n`;
    if (text.includes(access.token) || text.includes(access.id))
      throw new ProvisionError('The API returned an id that contains a key. It was not saved.');
    const draft = `${file}.${process.pid}.tmp`;
    writeFileSync(draft, text);
    renameSync(draft, file);
  }

  return {
    entry,
    /** @param {Kind} kind @param {string} key @returns {string} the project id */
    idOf(kind, key) {
      const thing = entry(kind, key);
      if (thing === undefined) throw new Error(`Unknown ${kind} '${key}'.`);
      return thing.id;
    },
    /** @param {Kind} kind @returns {Thing[]} in the order of creation */
    list: (kind) => state.things.filter((thing) => thing.kind === kind),
    pending: () => state.pending,
    /** @param {Pending} pending */
    begin(pending) {
      state.pending = pending;
      save();
    },
    /** The pending thing does not exist. */
    drop() {
      delete state.pending;
      save();
    },
    /** @param {Thing} thing exists now */
    keep(thing) {
      delete state.pending;
      state.things = [...state.things.filter(({ kind, key }) => kind !== thing.kind || key !== thing.key), thing];
      save();
    },
    /** @param {readonly Thing[]} things do not exist any more */
    forget(things) {
      state.things = state.things.filter((thing) => !things.includes(thing));
      if (state.things.length === 0 && state.pending === undefined) rmSync(file, { force: true });
      else save();
    },
  };
}

/** @typedef {ReturnType<typeof openManifest>} Manifest */

/** @param {Manifest} manifest @returns {Thing[]} all created things of the world; rules are not in the world */
function listWorldThings(manifest) {
  return kinds.filter((kind) => kind !== 'rule').flatMap(manifest.list);
}

/** @param {string} text */
function digest(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

// Rules --------------------------------------------------------------------------------------------------------------

/**
 * Lists the distinct rules of the tiers; several tiers can share one.
 *
 * @param {World} world
 * @returns {Map<string, { rules: Rule[], tier: Tier }>} by name, each with one of its tiers
 */
function listRules({ tiers }) {
  const all = new Map();
  for (const tier of tiers) {
    const name = createRuleName(tier);
    if (name !== undefined && !all.has(name)) all.set(name, { rules: tier.rules, tier });
  }
  return all;
}

/** @param {Tier} tier @returns {string | undefined} undefined if the tier is valid for everybody */
function createRuleName({ rules }) {
  if (rules.length === 0) return undefined;
  const texts = rules.map((rule) => JSON.stringify(rule.kind === 'customer' ? rule.any_of.toSorted() : rule));
  return `${prefix} ${rules.map(({ kind }) => kind).join(' and ')} ${digest(texts.join())}`;
}

/**
 * Creates the body of a validation rule: conditions have numbers, and `logic` joins them.
 *
 * @param {string} name @param {Rule[]} rules @param {World} world @param {Manifest} manifest
 */
function createRuleBody(name, rules, world, manifest) {
  /** @type {Record<string, unknown>} */
  const numbered = {};
  const groups = rules.map((rule) => {
    const numbers = createConditions(rule, world, manifest).map((condition) => {
      const number = String(Object.keys(numbered).length + 1);
      numbered[number] = condition;
      return number;
    });
    return numbers.length === 1 ? numbers[0] : `(${numbers.join(' or ')})`;
  });
  return { name, context_type: 'global', rules: { ...numbered, logic: groups.join(' and ') } };
}

/**
 * Creates the conditions of a rule; one of them has to hold.
 *
 * @param {Rule} rule @param {World} world @param {Manifest} manifest
 * @returns {object[]}
 */
function createConditions(rule, world, manifest) {
  switch (rule.kind) {
    case 'customer':
      return rule.any_of.map((id) => ({
        name: 'customer.metadata',
        property: customerKey,
        conditions: { $is: [world.customers.find((customer) => customer.id === id)?.name] },
        rules: {},
      }));
    case 'product':
    case 'sku':
      return [
        {
          name: 'order.items.any',
          conditions: {
            $is: [
              { id: manifest.idOf(rule.kind, rule.id), type: 'product_or_sku', object: rule.kind, source_id: null },
            ],
          },
          // With order.items.quantity a single item would have to reach the threshold.
          rules: {
            1: {
              name: 'order.items.aggregated_quantity',
              conditions: { $more_than_or_equal: [rule.at_least] },
              rules: {},
            },
            logic: '1',
          },
        },
      ];
    case 'order_metadata':
      return [{ name: 'order.metadata', property: rule.key, conditions: { $in: [rule.includes] }, rules: {} }];
    case 'metadata':
      return [{ name: 'redemption.metadata', property: rule.key, conditions: { $is: [rule.is] }, rules: {} }];
    default:
      throw new ProvisionError(
        `Unknown kind of rule: ${JSON.stringify(rule)}. Add it to createConditions in this script.`,
      );
  }
}

// Checks before the creation -----------------------------------------------------------------------------------------

/**
 * Checks that the manifest fits this world and that the project accepts the world.
 *
 * @param {Api} api @param {World} world @param {Manifest} manifest
 */
async function checkBeforehand(api, world, manifest) {
  checkWorld(world, manifest);
  const schemas = listIn(await api.get('/v1/metadata-schemas'), 'schemas', '/v1/metadata-schemas');
  const flaws = schemas.flatMap((schema) => listSchemaFlaws(schema, collectMetadata(world)));
  if (flaws.length > 0)
    throw new ProvisionError(
      [
        'The metadata schemas of the project reject the metadata of the world:',
        ...flaws,
        'Change the schemas in the dashboard, or use another project. Nothing was created.',
      ].join('\n'),
    );
  const categories = await listCategories(api);
  const rules = await api.list('/v1/validation-rules', 'data');
  const names = {
    category: new Map(world.categories.map(({ id, name }) => [`${prefix} ${name}`, id])),
    rule: new Map([...listRules(world).keys()].map((name) => [name, name])),
  };
  checkNames(manifest, 'category', categories, names.category);
  checkNames(manifest, 'rule', rules, names.rule);
  checkNewer(await api.list('/v1/promotions/tiers', 'tiers'), manifest, api.serverTime());
}

/** @param {Api} api */
async function listCategories(api) {
  return listIn(await api.get('/v1/categories'), 'data', '/v1/categories');
}

/** @param {World} world @param {Manifest} manifest */
function checkWorld({ existing = {}, ...world }, manifest) {
  const anew = 'Run tear-down, then provision again.';
  const wanted = new Set(Object.values(world).flatMap((things) => things.map(({ id }) => id)));
  const made = listWorldThings(manifest);
  const other = made.find(({ key }) => !wanted.has(key));
  if (other !== undefined)
    throw new ProvisionError(`The ${other.kind} '${other.id}' was created for another world. ${anew}`);
  const unknown = Object.entries(existing).find(
    ([key, id]) => !made.some((thing) => thing.key === key && thing.id === id),
  );
  if (unknown !== undefined)
    throw new ProvisionError(
      `The bindings contain '${unknown[1]}', which this script did not create. Provision without --reuse: the script keeps what it created.`,
    );
  const creation = world.tiers.toReversed();
  const gap = creation.findIndex(({ id }) => manifest.entry('tier', id) === undefined);
  const late = gap < 0 ? undefined : creation.slice(gap).find(({ id }) => manifest.entry('tier', id) !== undefined);
  if (late !== undefined)
    throw new ProvisionError(
      `Tier '${creation[gap]?.name}' must be older than '${late.name}', which exists already. ${anew}`,
    );
}

/**
 * Collects all metadata of the world and its requests: the values, by object and key.
 *
 * @param {World} world
 * @returns {Record<string, Map<string, { values: Set<unknown>, isList: boolean }>>}
 */
function collectMetadata({ customers, tiers }) {
  /** @param {[key: string, value: unknown][]} pairs */
  const collected = (pairs, isList = false) => {
    const keys = new Map();
    for (const [key, value] of pairs) {
      if (!keys.has(key)) keys.set(key, { values: new Set(), isList });
      keys.get(key).values.add(value);
    }
    return keys;
  };
  const rules = tiers.flatMap((tier) => tier.rules);
  return {
    customer: collected(customers.map(({ name }) => [customerKey, name])),
    promotion_tier: collected(tiers.flatMap(({ metadata }) => Object.entries(metadata))),
    order: collected(
      rules.flatMap((rule) => (rule.kind === 'order_metadata' ? [[rule.key, rule.includes]] : [])),
      true,
    ),
    redemption: collected(rules.flatMap((rule) => (rule.kind === 'metadata' ? [[rule.key, rule.is]] : []))),
    product: new Map(),
    campaign: new Map(),
    order_item: new Map(),
  };
}

/** @param {any} schema @param {ReturnType<typeof collectMetadata>} metadata @returns {string[]} */
function listSchemaFlaws({ related_object: object, properties, allow_defined_only }, metadata) {
  const keys = metadata[object];
  if (keys === undefined) return [];
  const defined = new Map(Object.entries(properties ?? {}).filter(([, { deleted }]) => deleted !== true));
  const required = [...defined].filter(([, { optional }]) => optional === false).map(([key]) => key);
  return [
    ...required.map((key) => `- ${object}: '${key}' is required, but the world does not have it`),
    ...[...keys].flatMap(([key, { values, isList }]) => {
      const property = defined.get(key);
      if (property === undefined)
        return allow_defined_only === true
          ? [`- ${object}: '${key}' is not defined, but only defined keys are allowed`]
          : [];
      const types = new Set([...values].map((value) => typeof value));
      const isFit = types.size === 1 && types.has(property.type) && (property.array === true) === isList;
      if (!isFit)
        return [
          `- ${object}: '${key}' is defined as ${property.array ? 'a list of ' : ''}${property.type}, which does not match`,
        ];
      const other = property.eq && [...values].find((value) => !property.eq.includes(value));
      return other ? [`- ${object}: '${key}' does not allow the value '${other}'`] : [];
    }),
  ];
}

/**
 * @param {Manifest} manifest @param {Kind} kind
 * @param {any[]} listed what the project has
 * @param {ReadonlyMap<string, string>} names the names that this script will use, with the keys of their things
 */
function checkNames(manifest, kind, listed, names) {
  const made = new Set(manifest.list(kind).map(({ id }) => id));
  const pending = manifest.pending();
  for (const { name, id } of listed) {
    const key = names.get(name);
    if (key === undefined || made.has(id) || (pending?.kind === kind && pending.key === key)) continue;
    throw new ProvisionError(
      `The project has a ${kind} '${name}' (${id}) that the manifest does not list. Restore the manifest of that time, or remove everything named '${prefix} …' in the dashboard. Nothing was created.`,
    );
  }
  const gone = manifest.list(kind).find(({ id }) => !listed.some((each) => each.id === id));
  if (gone !== undefined)
    throw new ProvisionError(`The ${kind} '${gone.id}' does not exist any more. Run tear-down, then provision again.`);
}

/**
 * A newer tier of somebody else would displace a tier of the world from the newest 150.
 *
 * @param {any[]} listed @param {Manifest} manifest @param {number} serverTime
 */
function checkNewer(listed, manifest, serverTime) {
  const isOwn = createOwnTierCheck(manifest);
  const own = listed.filter(isOwn);
  // The server states its time in whole seconds.
  const since = own.length === 0 ? serverTime + 2 * second : Math.min(...own.map(getCreatedAt));
  const newer = listed.find((tier) => !isOwn(tier) && Math.max(getCreatedAt(tier), getChangedAt(tier)) >= since);
  if (newer === undefined) return;
  const when = new Date(Math.max(getCreatedAt(newer), getChangedAt(newer))).toISOString();
  throw new ProvisionError(
    own.length === 0
      ? `The project has a promotion tier '${newer.name}' (${newer.id}) of ${when}, which is in the future: it would always be among the newest 150. Remove it, or use another project. Nothing was created.`
      : `The project has a promotion tier '${newer.name}' (${newer.id}), created or changed on ${when}, after the first tier of the world: it can displace one from the newest 150. Nothing more was created. Run tear-down, make sure that nobody else creates promotions there, and provision again.`,
  );
}

/** @param {Manifest} manifest @returns {(tier: any) => boolean} whether this script created a tier */
function createOwnTierCheck(manifest) {
  const ids = new Set(manifest.list('tier').map(({ id }) => id));
  const pending = manifest.pending();
  return (tier) =>
    ids.has(tier.id) ||
    (pending?.kind === 'tier' && pending.name === tier.name && pending.campaign === getCampaign(tier));
}

/** @param {any} tier @returns {string} */
const getCampaign = ({ campaign_id, campaign }) => campaign_id ?? campaign?.id;
/** @param {any} tier @returns {number} */
const getCreatedAt = (tier) => parseTime(tier.created_at, tier);
/** @param {any} tier @returns {number} */
const getChangedAt = (tier) => parseTime(tier.updated_at ?? tier.created_at, tier);

/** @param {string} time @param {any} tier */
function parseTime(time, { id }) {
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) throw new ProvisionError(`Promotion tier '${id}' has an invalid time: '${time}'.`);
  return ms;
}

// Creation -----------------------------------------------------------------------------------------------------------

/**
 * Creates what is missing, one thing after another: referenced things first, tiers from the oldest to the newest.
 *
 * @param {Api} api @param {World} world @param {Manifest} manifest @param {(line: string) => void} say
 */
async function createAll(api, world, manifest, say) {
  /**
   * @param {Pending} pending @param {string} path @param {object} body
   * @param {(made: any) => Promise<unknown>} [complete] finishes what was created
   */
  async function create(pending, path, body, complete = async () => {}) {
    const { kind, key } = pending;
    if (manifest.entry(kind, key) !== undefined) return;
    const find = () => finders[kind](api, pending);
    const begun = manifest.pending();
    let made = begun?.kind === kind && begun.key === key ? await find() : undefined;
    if (made === undefined) {
      manifest.begin(pending);
      made = await api
        .retry(() => api.call('POST', path, body), find)
        .catch((error) => {
          if (error instanceof Refusal) manifest.drop();
          throw error;
        });
    }
    if (typeof made.id !== 'string') throw new ProvisionError(`POST ${path} returned no id.`);
    await complete(made);
    manifest.keep({ kind, key, id: made.id, ...(kind === 'rule' ? { body: digest(JSON.stringify(body)) } : {}) });
  }

  const sourceId = (/** @type {string} */ id) => `${prefix}-${id}`;
  for (const [hierarchy, { id, name }] of world.categories.entries()) {
    const own = `${prefix} ${name}`;
    await create({ kind: 'category', key: id, name: own }, '/v1/categories', { name: own, hierarchy });
  }
  for (const { id, name } of world.customers) {
    const source_id = sourceId(id);
    const body = { source_id, name: `${prefix} ${name}`, metadata: { [customerKey]: name } };
    await create({ kind: 'customer', key: id, name: source_id }, '/v1/customers', body);
  }
  // A discount needs a price.
  for (const { id, name } of world.products) {
    const source_id = sourceId(id);
    const body = { source_id, name: `${prefix} ${name}`, price: 1_000 };
    await create({ kind: 'product', key: id, name: source_id }, '/v1/products', body);
  }
  for (const { id, name, product_id } of world.skus) {
    const source_id = sourceId(id);
    const path = `/v1/products/${encodeURIComponent(manifest.idOf('product', product_id))}/skus`;
    await create({ kind: 'sku', key: id, name: source_id }, path, {
      source_id,
      sku: `${prefix} ${name}`,
      price: 1_000,
    });
  }
  for (const [name, { rules }] of listRules(world)) {
    const body = createRuleBody(name, rules, world, manifest);
    await create({ kind: 'rule', key: name, name }, '/v1/validation-rules', body);
    // createConditions may have changed since then. The rule is updated in place, because new tiers would be newer.
    const rule = manifest.entry('rule', name);
    if (rule === undefined || rule.body === digest(JSON.stringify(body))) continue;
    await api.retry(() => api.call('PUT', `/v1/validation-rules/${encodeURIComponent(rule.id)}`, body));
    manifest.keep({ kind: 'rule', key: name, id: rule.id, body: digest(JSON.stringify(body)) });
  }
  for (const { id, name, category_ids } of world.campaigns) {
    const own = `${prefix} ${name}`;
    const [category, ...others] = category_ids;
    if (others.length > 0 && manifest.entry('campaign', id) === undefined)
      say(`A campaign has one category here: '${name}' gets only its first.`);
    const body = {
      name: own,
      campaign_type: 'PROMOTION',
      ...(category === undefined ? {} : { category_id: manifest.idOf('category', category) }),
    };
    await create({ kind: 'campaign', key: id, name: own }, '/v1/campaigns', body);
  }
  for (const tier of world.tiers.toReversed()) {
    const campaign = manifest.idOf('campaign', tier.campaign_id);
    const rule = createRuleName(tier);
    const ruleId = rule === undefined ? undefined : manifest.idOf('rule', rule);
    const body = {
      name: tier.name,
      action: { discount: { type: 'PERCENT', percent_off: 10, effect: 'APPLY_TO_ORDER' } },
      metadata: tier.metadata,
      ...(ruleId === undefined ? {} : { validation_rules: [ruleId] }),
    };
    const pending = /** @type {const} */ ({ kind: 'tier', key: tier.id, name: tier.name, campaign });
    await create(pending, `/v1/promotions/${encodeURIComponent(campaign)}/tiers`, body, async (made) => {
      const assigned = made.validation_rule_assignments?.data ?? [];
      if (ruleId === undefined || assigned.some((/** @type {any} */ each) => each.rule_id === ruleId)) return;
      // Without its rule the tier would be valid for everybody. This happens before the next tier, so the order stays.
      const assignment = { related_object_type: 'promotion_tier', related_object_id: made.id };
      await api
        .retry(() => api.call('POST', `/v1/validation-rules/${encodeURIComponent(ruleId)}/assignments`, assignment))
        .catch((error) => {
          if (!(error instanceof Refusal && error.status === 409)) throw error;
        });
    });
  }
}

/** @param {any[]} list @param {string} name @returns {any} */
const findByName = (list, name) => list.find((each) => each.name === name);

/**
 * How to find a thing that may have been created.
 *
 * @type {Record<Kind, (api: Api, pending: Pending) => Promise<any>>}
 */
const finders = {
  category: async (api, { name }) => findByName(await listCategories(api), name),
  customer: (api, { name }) => api.find(`/v1/customers/${encodeURIComponent(name)}`),
  product: (api, { name }) => api.find(`/v1/products/${encodeURIComponent(name)}`),
  // Creating a SKU again with its source_id is harmless, and it is deleted with its product.
  sku: async () => undefined,
  rule: async (api, { name }) => findByName(await api.list('/v1/validation-rules', 'data'), name),
  campaign: (api, { name }) => api.find(`/v1/campaigns/${encodeURIComponent(name)}`),
  tier: async (api, { name, campaign = '' }) => {
    const path = `/v1/promotions/${encodeURIComponent(campaign)}/tiers`;
    return findByName(listIn(await api.get(path), 'tiers', path), name);
  },
};

// Checks after the creation ---------------------------------------------------------------------------------------------------------

/**
 * Reads the tiers back and compares them with the world.
 *
 * @param {Api} api @param {World} world @param {Manifest} manifest
 */
async function checkTiers(api, world, manifest) {
  const listed = await api.list('/v1/promotions/tiers', 'tiers');
  checkNewer(listed, manifest, api.serverTime());
  const assigned = new Map();
  for (const { related_object_id, rule_id } of await api.list('/v1/validation-rules-assignments', 'data'))
    assigned.set(related_object_id, [...(assigned.get(related_object_id) ?? []), rule_id]);
  const byId = new Map(listed.map((tier) => [tier.id, tier]));
  let newer = { createdAt: Number.POSITIVE_INFINITY, changedAt: Number.POSITIVE_INFINITY, name: '' };
  const flaws = world.tiers.flatMap((tier) => {
    const there = byId.get(manifest.idOf('tier', tier.id));
    if (there === undefined) return [`${tier.name} does not exist`];
    const own = { createdAt: getCreatedAt(there), changedAt: getChangedAt(there), name: tier.name };
    const isLate = own.createdAt >= newer.createdAt || own.changedAt >= newer.changedAt;
    const after = newer.name;
    newer = own;
    const name = createRuleName(tier);
    const rules = name === undefined ? [] : [manifest.idOf('rule', name)];
    const found = assigned.get(there.id) ?? [];
    return [
      ...(isLate ? [`${tier.name} was not created and last changed before ${after}`] : []),
      ...(there.name === tier.name ? [] : [`${tier.name} is called '${there.name}'`]),
      ...(getCampaign(there) === manifest.idOf('campaign', tier.campaign_id)
        ? []
        : [`${tier.name} is in another campaign`]),
      ...(there.active === false ? [`${tier.name} is not active`] : []),
      ...(normalize(there.metadata) === normalize(tier.metadata)
        ? []
        : [`${tier.name} has the metadata ${normalize(there.metadata)} instead of ${normalize(tier.metadata)}`]),
      ...(normalize(found) === normalize(rules)
        ? []
        : [
            `${tier.name} has the rules [${found}] instead of [${rules}]${found.length === 0 ? ': it is valid for everybody' : ''}`,
          ]),
    ];
  });
  if (flaws.length > 0)
    throw new ProvisionError(
      [
        'The tiers differ from what was created:',
        ...flaws.map((flaw) => `- ${flaw}.`),
        'Run tear-down, then provision again. If this happens again, the API does not do what its documents say.',
      ].join('\n'),
    );
}

/** @param {any} value @returns {string} independent of the order of members */
function normalize(value) {
  return JSON.stringify(Array.isArray(value) ? value : Object.entries(value ?? {}).sort());
}

/**
 * Tries each rule on a matching customer and order, and on nearly matching ones.
 *
 * @param {Api} api @param {World} world @param {Manifest} manifest
 */
async function checkRules(api, world, manifest) {
  const flaws = [];
  for (const [name, { rules, tier }] of listRules(world)) {
    const rule = manifest.entry('rule', name);
    if (rule === undefined || rule.checked) continue;
    const path = `/v1/promotions/tiers/${encodeURIComponent(manifest.idOf('tier', tier.id))}/validation`;
    const wrong = [];
    for (const fits of [true, false]) {
      const context = createContext(rules, fits, world, manifest);
      const { valid } = await api.retry(() => api.call('POST', path, context));
      if (valid !== fits) wrong.push(`- ${tier.name} (${rule.id}): ${JSON.stringify(context)} returns valid: ${valid}`);
    }
    if (wrong.length === 0) manifest.keep({ ...rule, checked: true });
    flaws.push(...wrong);
  }
  if (flaws.length > 0)
    throw new ProvisionError(
      [
        'The rules of these tiers do not work as intended:',
        ...flaws,
        `The project may need some minutes: run the script again, it skips rules that passed. Otherwise change createConditions in ${fileURLToPath(import.meta.url)} and run it again: it updates rules in place. Or remove the kind of rule from 'capabilities' in the target file, run tear-down, and provision again.`,
      ].join('\n'),
    );
}

/**
 * Creates a request body that meets all conditions of a rule, or all but the first.
 *
 * @param {Rule[]} rules @param {boolean} fits @param {World} world @param {Manifest} manifest
 */
function createContext(rules, fits, world, manifest) {
  const used = new Set(rules.flatMap((rule) => (rule.kind === 'product' || rule.kind === 'sku' ? [rule.id] : [])));
  const reserved = new Set(
    world.tiers.flatMap(({ rules }) => rules.flatMap((rule) => (rule.kind === 'customer' ? rule.any_of : []))),
  );
  const other = world.products.find(
    ({ id }) => !used.has(id) && !world.skus.some((sku) => sku.product_id === id && used.has(sku.id)),
  );
  const nobody = world.customers.find(({ id }) => !reserved.has(id));
  let customer = nobody?.id;
  /** @type {object[]} */
  const items = other === undefined ? [] : [{ product_id: manifest.idOf('product', other.id), quantity: 1 }];
  /** @type {Record<string, string[]>} */
  const orderMetadata = {};
  /** @type {Record<string, string>} */
  const metadata = {};
  for (const [n, rule] of rules.entries()) {
    const holds = fits || n > 0;
    switch (rule.kind) {
      case 'customer':
        if (holds) customer = rule.any_of[0];
        break;
      case 'product':
      case 'sku': {
        const quantity = holds ? rule.at_least : rule.at_least - 1;
        if (quantity > 0) items.push({ [`${rule.kind}_id`]: manifest.idOf(rule.kind, rule.id), quantity });
        break;
      }
      case 'order_metadata':
        orderMetadata[rule.key] = holds ? ['other', rule.includes] : ['other'];
        break;
      case 'metadata':
        // A key such as __proto__ is an entry, too.
        Object.defineProperty(metadata, rule.key, {
          value: holds ? rule.is : `not ${rule.is}`,
          enumerable: true,
          configurable: true,
          writable: true,
        });
    }
  }
  return {
    ...(customer === undefined ? {} : { customer: { id: manifest.idOf('customer', customer) } }),
    order: { items, metadata: orderMetadata },
    metadata,
  };
}

/**
 * Creates the world or resumes its creation, and checks it.
 *
 * @param {World} world @param {Setting} setting
 * @returns {Promise<Record<string, string>>} the project ids, by world id
 * @throws ProvisionError
 */
export async function provision(world, setting) {
  const { say = () => {} } = setting;
  const api = connect(setting);
  const manifest = openManifest(setting);
  await checkBeforehand(api, world, manifest);
  await createAll(api, world, manifest, say);
  await checkTiers(api, world, manifest);
  await checkRules(api, world, manifest);
  return Object.fromEntries(listWorldThings(manifest).map(({ key, id }) => [key, id]));
}

/**
 * Removes everything in the manifest, and the manifest.
 *
 * @param {Setting} setting
 * @returns {Promise<number>} the number of removed things
 * @throws ProvisionError if things of somebody else depend on them; nothing is removed then
 */
export async function tearDown(setting) {
  const api = connect(setting);
  const manifest = openManifest(setting);
  const pending = manifest.pending();
  if (pending !== undefined) {
    const { kind, key } = pending;
    const found = await finders[kind](api, pending);
    if (found === undefined) manifest.drop();
    else manifest.keep({ kind, key, id: found.id });
  }
  const total = kinds.flatMap(manifest.list).length;
  await checkDependents(api, manifest);

  for (const campaign of manifest.list('campaign')) {
    const path = `/v1/campaigns/${encodeURIComponent(campaign.id)}?force=true`;
    const { async_action_id: action } = (await api.remove(path)) ?? {};
    if (action !== undefined) await waitForAction(api, action);
  }
  // No document says that the tiers of a deleted campaign are deleted.
  const isOwn = createOwnTierCheck(manifest);
  const left = (await api.list('/v1/promotions/tiers', 'tiers')).filter(isOwn);
  for (const { id } of left) await api.remove(`/v1/promotions/tiers/${encodeURIComponent(id)}`);
  manifest.forget([...manifest.list('tier'), ...manifest.list('campaign')]);
  const paths = /** @type {const} */ ([
    ['rule', '/v1/validation-rules/', ''],
    // Without force, products go to a bin and keep their source_id. SKUs are deleted with their product.
    ['product', '/v1/products/', '?force=true'],
    ['customer', '/v1/customers/', ''],
    ['category', '/v1/categories/', ''],
  ]);
  for (const [kind, before, after] of paths) {
    for (const thing of manifest.list(kind)) {
      await api.remove(`${before}${encodeURIComponent(thing.id)}${after}`);
      manifest.forget([thing]);
    }
    if (kind === 'product') manifest.forget(manifest.list('sku'));
  }
  return total;
}

/**
 * @param {Api} api @param {Manifest} manifest
 * @throws ProvisionError if things of somebody else depend on things of this script
 */
async function checkDependents(api, manifest) {
  const ids = new Set(kinds.flatMap((kind) => manifest.list(kind).map(({ id }) => id)));
  const tier = (await api.list('/v1/promotions/tiers', 'tiers')).find(
    (each) => ids.has(getCampaign(each)) && !ids.has(each.id),
  );
  if (tier !== undefined)
    throw new ProvisionError(
      `Promotion tier '${tier.name}' (${tier.id}) belongs to somebody else, but is in a campaign of this script. Remove it and run tear-down again. Nothing was removed.`,
    );
  const assignment = (await api.list('/v1/validation-rules-assignments', 'data')).find(
    (each) => ids.has(each.rule_id) && !ids.has(each.related_object_id),
  );
  if (assignment !== undefined)
    throw new ProvisionError(
      `Validation rule '${assignment.rule_id}' of this script is assigned to '${assignment.related_object_id}' of somebody else. Remove the assignment and run tear-down again. Nothing was removed.`,
    );
}

/** @param {Api} api @param {string} action the id of an asynchronous action */
async function waitForAction(api, action) {
  for (let tries = 0; tries < 90; tries++) {
    const { status, result } = await api.get(`/v1/async-actions/${encodeURIComponent(action)}`);
    if (status === 'DONE') return;
    if (status === 'FAILED')
      throw new ProvisionError(`Action '${action}' failed: ${JSON.stringify(result)}. Run tear-down again.`);
    await api.sleep(2 * second);
  }
  throw new ProvisionError(`Action '${action}' is not done after three minutes. Run tear-down again later.`);
}

// Command line -------------------------------------------------------------------------------------------------------

/** @param {NodeJS.ProcessEnv} environment @returns {Setting} */
function readSetting({ VOUCHERIFY_API, VOUCHERIFY_APP_ID: id, VOUCHERIFY_APP_TOKEN: token, VOUCHERIFY_MANIFEST }) {
  if (!id || !token)
    throw new ProvisionError('Set VOUCHERIFY_APP_ID and VOUCHERIFY_APP_TOKEN to the server-side keys of the project.');
  const url = (VOUCHERIFY_API || 'https://api.voucherify.io').replace(/\/+$/, '');
  if (!/^(https:\/\/|http:\/\/(127\.0\.0\.1|\[::1\]|localhost)[:/])/.test(`${url}/`))
    throw new ProvisionError(`VOUCHERIFY_API is '${url}': keys are sent only to addresses that begin with https://.`);
  return {
    access: { url, id, token },
    manifest: VOUCHERIFY_MANIFEST || fileURLToPath(new URL('voucherify.manifest.json', import.meta.url)),
    say,
  };
}

/**
 * Prints a line without the keys, which a response may repeat.
 *
 * @param {string} line
 */
function say(line) {
  const { VOUCHERIFY_APP_ID: id, VOUCHERIFY_APP_TOKEN: token } = process.env;
  const withoutToken = token ? line.replaceAll(token, '$VOUCHERIFY_APP_TOKEN') : line;
  process.stderr.write(`${id ? withoutToken.replaceAll(id, '$VOUCHERIFY_APP_ID') : withoutToken}\n`);
}

/** @param {string[]} args */
async function main(args) {
  const [command = 'provision', ...rest] = args;
  if (rest.length > 0 || !['provision', 'tear-down'].includes(command))
    throw new ProvisionError(`Unknown command '${args.join(' ')}': use 'provision' (the default) or 'tear-down'.`);
  const setting = readSetting(process.env);
  if (command === 'tear-down') say(`Removed all ${await tearDown(setting)} things of this script.`);
  else process.stdout.write(JSON.stringify(await provision(/** @type {any} */ (await json(process.stdin)), setting)));
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await main(process.argv.slice(2)).catch((/** @type {Error} */ error) => {
    say(error instanceof ProvisionError ? error.message : (error.stack ?? String(error)));
    process.exitCode = 1;
  });
}
