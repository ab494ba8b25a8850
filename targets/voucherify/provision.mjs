// A worked example: the world in a project of Voucherify, by its REST API.
//
// WRITTEN FROM PUBLISHED DOCUMENTS, AND NEVER RUN AGAINST THE VENDOR. Tests run it against an imitation of that API,
// which shows that it does what it says, and not that the vendor understands it so.
//
// What cannot be there: a campaign with several categories, since a campaign has one; it gets its first.
// What is answered here and not by the deployment: how quantities of the same product or SKU add up. The rules are
// written with order.items.aggregated_quantity, which adds up the items of an order.
// What is a guess: a rule for a SKU, and one for a value in a list of order metadata ($in). The check of the rules at
// the end says whether they mean what they should.
//
//   conformance provision --target targets/voucherify/target.yaml     creates, goes on where it ended, or only looks
//   node targets/voucherify/provision.mjs tear-down                   removes what it created, and nothing else
//
// Standard input: the world as JSON. Standard output: { "id in the world": "id in the project", … }.
// Environment: VOUCHERIFY_APP_ID and VOUCHERIFY_APP_TOKEN (server-side keys); VOUCHERIFY_API, where the project is not
// in the default cluster; VOUCHERIFY_MANIFEST, the file that says what was created.

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
 *   what was created: `key` is its id in the world, or of a rule its name; of a rule also the digest of its body, and
 *   whether it was seen to mean what it should
 * @typedef {{ kind: Kind, key: string, name: string, campaign?: string }} Pending
 *   what is about to be created: the name by which it is found again, of a tier in a campaign of the project
 * @typedef {{ now(): number, sleep(ms: number): Promise<unknown> }} Clock
 * @typedef {{ url: string, id: string, token: string }} Access
 * @typedef {{ access: Access, manifest: string, say?: (line: string) => void, clock?: Clock }} Setting
 *   where the project is, and the file that says what was created in it
 */

const kinds = /** @type {const} */ (['category', 'customer', 'product', 'sku', 'rule', 'campaign', 'tier']);
const second = 1_000;
const minute = 60 * second;
/** Nobody waits longer than this for a limit that is counted by minute or by hour. */
const longestWait = 2 * 60 * minute;
/** What begins the names of all that is made here, save for tiers, which bear the world's names. */
const prefix = 'conformance';
/** The customer metadata by which rules know a customer: there is no rule on a customer's id. */
const customerKey = 'conformance_name';

/** Something that a person has to see to. Its message says what to do. */
export class Obstacle extends Error {}

/** The API refused a call. */
class Refusal extends Obstacle {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** A call of which nobody knows whether it took effect. */
class Unsure extends Error {}

// The API ------------------------------------------------------------------------------------------------------------

/** @type {Clock} */
const systemClock = { now: Date.now, sleep: (ms) => setTimeout(ms) };

/**
 * Calls of the API, one at a time, as fast as its limits allow.
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
      throw new Obstacle(`The limit of calls is used up until ${until}. Start it again then: it goes on from here.`);
    if (wait > 5 * second)
      say(`The limit of calls is used up: waiting until ${until}. It may be interrupted, and goes on from here.`);
    await clock.sleep(wait);
  }

  /** @param {Response} response */
  function noteLimits({ status, headers }) {
    // Times are the server's, whose clock may differ.
    serverTime = Date.parse(headers.get('date') ?? '') || clock.now();
    const reset = Number(headers.get('x-rate-limit-retry')) * second - serverTime;
    const untilReset = reset > 0 ? reset + second : 0;
    const stated = Number(headers.get('retry-after')) * second;
    if (status === 429) notBefore = clock.now() + (stated > 0 ? stated : untilReset || minute);
    else if (headers.get('x-rate-limit-remaining') === '0') notBefore = clock.now() + untilReset;
  }

  /**
   * One call, sent again while the limit is used up.
   *
   * @param {string} method @param {string} path @param {unknown} [body]
   * @returns {Promise<any>} the body of the answer
   */
  async function call(method, path, body) {
    await pause();
    let response;
    let text;
    try {
      response = await fetch(`${url}${path}`, {
        method,
        headers,
        redirect: 'manual', // The keys are for this host alone.
        signal: AbortSignal.timeout(minute),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      text = await response.text();
    } catch (error) {
      const { cause, message } = /** @type {Error & { cause?: { code?: string } }} */ (error);
      throw new Unsure(`${method} ${path}: ${cause?.code ?? message}`);
    }
    noteLimits(response);
    const { status } = response;
    if (status === 429) return call(method, path, body);
    if (status === 408 || status >= 500) throw new Unsure(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
    if (status < 200 || status > 299)
      throw new Refusal(
        status,
        `${method} ${path} was answered ${status}: ${text.slice(0, 1_000)}${hints[status] ?? ''}`,
      );
    try {
      return text === '' ? {} : JSON.parse(text);
    } catch {
      throw new Obstacle(
        `${method} ${path} was answered ${status}, and no JSON. Is VOUCHERIFY_API the address of the API?`,
      );
    }
  }

  /**
   * Does something until it is known to be done, a few times.
   *
   * @template T
   * @param {() => Promise<T>} once
   * @param {() => Promise<T | undefined>} find looks whether it was done after all
   * @returns {Promise<T>}
   */
  async function surely(once, find = async () => undefined) {
    for (const wait of [second, 5 * second, 15 * second]) {
      try {
        return await once();
      } catch (error) {
        if (!(error instanceof Unsure)) throw error;
        say(`${error.message}; looking again.`);
        await clock.sleep(wait);
        const found = await find();
        if (found !== undefined) return found;
      }
    }
    return once().catch((error) => {
      if (!(error instanceof Unsure)) throw error;
      throw new Obstacle(`${error.message}. Start it again later: it goes on from here.`);
    });
  }

  /** @param {string} path @returns {Promise<any>} */
  const get = (path) => surely(() => call('GET', path));

  return {
    call,
    surely,
    get,
    sleep: clock.sleep,
    /** What time it is for the API, in milliseconds. */
    serverTime: () => serverTime,
    /**
     * All of a list, newest first.
     *
     * @param {string} path @param {string} member where the list is in the answer
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
    /** @param {string} path @returns {Promise<any>} what it says, or undefined where there is no such thing */
    async look(path) {
      return await get(path).catch(ifGone);
    },
    /** @param {string} path @returns {Promise<any>} what it says, or undefined where it was gone already */
    async remove(path) {
      return await surely(() => call('DELETE', path)).catch(ifGone);
    },
  };
}

/** @typedef {ReturnType<typeof connect>} Api */

/**
 * What is no list must not pass for an empty one.
 *
 * @param {any} answer @param {string} member where the list is, unless the answer says so itself @param {string} path
 * @returns {any[]}
 */
function listIn(answer, member, path) {
  const list = answer[answer.data_ref ?? member];
  if (!Array.isArray(list)) throw new Obstacle(`GET ${path} was answered without a list of ${member}.`);
  return list;
}

/** @type {Record<number, string>} */
const hints = {
  401: '\nAre VOUCHERIFY_APP_ID and VOUCHERIFY_APP_TOKEN the server-side keys of the project?',
  402: '\nThe plan does not allow it.',
  403: '\nDoes the role of the key allow it?',
  409: '\nSomething of that name is there, of which the manifest says nothing. Remove it in the dashboard.',
};

/** @param {unknown} error */
function ifGone(error) {
  if (error instanceof Refusal && error.status === 404) return undefined;
  throw error;
}

// What was created ---------------------------------------------------------------------------------------------------

/**
 * The file that says what was created. It is replaced as a whole with each thing, and names what is about to be created
 * beforehand: whenever this ends, at most one thing is to be looked for.
 *
 * @param {Setting} setting
 */
function openManifest({ access, manifest: file }) {
  // Of which project it speaks, without its keys.
  const project = digest(`${access.url} ${access.id}`);
  /** @type {{ project: string, pending?: Pending, things: Thing[] }} */
  let state = { project, things: [] };
  if (existsSync(file)) {
    try {
      state = JSON.parse(readFileSync(file, 'utf8'));
    } catch {
      throw new Obstacle(`${file} is no manifest of this script. Put it back as it was; without it nothing is known.`);
    }
    if (state.project !== project)
      throw new Obstacle(
        `${file} speaks of another project than VOUCHERIFY_API and VOUCHERIFY_APP_ID do. Name another file in VOUCHERIFY_MANIFEST.`,
      );
  }
  const entry = (/** @type {Kind} */ kind, /** @type {string} */ key) =>
    state.things.find((thing) => thing.kind === kind && thing.key === key);

  function save() {
    const text = `${JSON.stringify(state, null, 1)}\n`;
    if (text.includes(access.token) || text.includes(access.id))
      throw new Obstacle('The API gave an id that contains a key. Nothing of it is written down.');
    const draft = `${file}.${process.pid}.tmp`;
    writeFileSync(draft, text);
    renameSync(draft, file);
  }

  return {
    entry,
    /** @param {Kind} kind @param {string} key @returns {string} its id in the project */
    idOf(kind, key) {
      const thing = entry(kind, key);
      if (thing === undefined) throw new Error(`There is no ${kind} ${key}.`);
      return thing.id;
    },
    /** @param {Kind} kind @returns {Thing[]} in the order in which they were created */
    of: (kind) => state.things.filter((thing) => thing.kind === kind),
    pending: () => state.pending,
    /** @param {Pending} pending */
    begin(pending) {
      state.pending = pending;
      save();
    },
    /** What was begun is not there. */
    drop() {
      delete state.pending;
      save();
    },
    /** @param {Thing} thing is there */
    keep(thing) {
      delete state.pending;
      state.things = [...state.things.filter(({ kind, key }) => kind !== thing.kind || key !== thing.key), thing];
      save();
    },
    /** @param {readonly Thing[]} things are there no more */
    forget(things) {
      state.things = state.things.filter((thing) => !things.includes(thing));
      if (state.things.length === 0 && state.pending === undefined) rmSync(file, { force: true });
      else save();
    },
  };
}

/** @typedef {ReturnType<typeof openManifest>} Manifest */

/** @param {Manifest} manifest @returns {Thing[]} what was created, without the rules, which are no things of the world */
function ofTheWorld(manifest) {
  return kinds.filter((kind) => kind !== 'rule').flatMap(manifest.of);
}

/** @param {string} text */
function digest(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

// Rules --------------------------------------------------------------------------------------------------------------

/**
 * The distinct rules of the tiers. Most tiers share one.
 *
 * @param {World} world
 * @returns {Map<string, { rules: Rule[], tier: Tier }>} by name, each with a tier that has it
 */
function rulesOf({ tiers }) {
  const all = new Map();
  for (const tier of tiers) {
    const name = ruleName(tier);
    if (name !== undefined && !all.has(name)) all.set(name, { rules: tier.rules, tier });
  }
  return all;
}

/** @param {Tier} tier @returns {string | undefined} undefined where the tier is valid for everybody */
function ruleName({ rules }) {
  if (rules.length === 0) return undefined;
  const texts = rules.map((rule) => JSON.stringify(rule.kind === 'customer' ? rule.any_of.toSorted() : rule));
  return `${prefix} ${rules.map(({ kind }) => kind).join(' and ')} ${digest(texts.join())}`;
}

/**
 * A validation rule: its conditions are numbered, and its logic says how they are joined.
 *
 * @param {string} name @param {Rule[]} rules @param {World} world @param {Manifest} manifest
 */
function ruleBody(name, rules, world, manifest) {
  /** @type {Record<string, unknown>} */
  const numbered = {};
  const groups = rules.map((rule) => {
    const numbers = conditionsOf(rule, world, manifest).map((condition) => {
      const number = String(Object.keys(numbered).length + 1);
      numbered[number] = condition;
      return number;
    });
    return numbers.length === 1 ? numbers[0] : `(${numbers.join(' or ')})`;
  });
  return { name, context_type: 'global', rules: { ...numbered, logic: groups.join(' and ') } };
}

/**
 * Conditions of which one has to hold.
 *
 * @param {Rule} rule @param {World} world @param {Manifest} manifest
 * @returns {object[]}
 */
function conditionsOf(rule, world, manifest) {
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
          // Of order.items.quantity one item would have to be enough: see the first lines.
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
      throw new Obstacle(`This script knows no rule such as ${JSON.stringify(rule)}: see its conditionsOf.`);
  }
}

// Before anything is created -----------------------------------------------------------------------------------------

/**
 * What can be known beforehand: that this world can go on from what was created, and that the project takes it.
 *
 * @param {Api} api @param {World} world @param {Manifest} manifest
 */
async function preflight(api, world, manifest) {
  checkWorld(world, manifest);
  const schemas = listIn(await api.get('/v1/metadata-schemas'), 'schemas', '/v1/metadata-schemas');
  const flaws = schemas.flatMap((schema) => schemaFlaws(schema, metadataOf(world)));
  if (flaws.length > 0)
    throw new Obstacle(
      [
        'The metadata schemas of the project do not allow the metadata of the world:',
        ...flaws,
        'Change them in the dashboard, or take another project. Nothing was created.',
      ].join('\n'),
    );
  const categories = await categoriesOf(api);
  const rules = await api.list('/v1/validation-rules', 'data');
  const names = {
    category: new Map(world.categories.map(({ id, name }) => [`${prefix} ${name}`, id])),
    rule: new Map([...rulesOf(world).keys()].map((name) => [name, name])),
  };
  checkNames(manifest, 'category', categories, names.category);
  checkNames(manifest, 'rule', rules, names.rule);
  checkNewer(await api.list('/v1/promotions/tiers', 'tiers'), manifest, api.serverTime());
}

/** @param {Api} api */
async function categoriesOf(api) {
  return listIn(await api.get('/v1/categories'), 'data', '/v1/categories');
}

/** @param {World} world @param {Manifest} manifest */
function checkWorld({ existing = {}, ...world }, manifest) {
  const anew = 'Tear down what is there, and have all created once more.';
  const wanted = new Set(Object.values(world).flatMap((things) => things.map(({ id }) => id)));
  const made = ofTheWorld(manifest);
  const other = made.find(({ key }) => !wanted.has(key));
  if (other !== undefined)
    throw new Obstacle(`The ${other.kind} ${other.id} was created for another world than this one. ${anew}`);
  const unknown = Object.entries(existing).find(
    ([key, id]) => !made.some((thing) => thing.key === key && thing.id === id),
  );
  if (unknown !== undefined)
    throw new Obstacle(
      `The bindings have ${unknown[1]}, which this script did not create. Provision without --reuse: what it created it keeps.`,
    );
  const creation = world.tiers.toReversed();
  const gap = creation.findIndex(({ id }) => manifest.entry('tier', id) === undefined);
  const late = gap < 0 ? undefined : creation.slice(gap).find(({ id }) => manifest.entry('tier', id) !== undefined);
  if (late !== undefined)
    throw new Obstacle(`Tier ${creation[gap]?.name} is to be older than ${late.name}, which is there. ${anew}`);
  const places = world.tiers.map(({ campaign_id, name }) => `${campaign_id} ${name}`);
  const twin = world.tiers.find((_, n) => places.indexOf(places[n] ?? '') !== n);
  if (twin !== undefined)
    throw new Obstacle(
      `Two tiers of one campaign are called ${twin.name}: they could not be found again by their names.`,
    );
}

/**
 * All metadata that the world and its requests have: by object, by key, the values.
 *
 * @param {World} world
 * @returns {Record<string, Map<string, { values: Set<unknown>, isList: boolean }>>}
 */
function metadataOf({ customers, tiers }) {
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

/** @param {any} schema @param {ReturnType<typeof metadataOf>} metadata @returns {string[]} */
function schemaFlaws({ related_object: object, properties, allow_defined_only }, metadata) {
  const keys = metadata[object];
  if (keys === undefined) return [];
  const defined = new Map(Object.entries(properties ?? {}).filter(([, { deleted }]) => deleted !== true));
  const required = [...defined].filter(([, { optional }]) => optional === false).map(([key]) => key);
  return [
    ...required.map((key) => `- ${object}: '${key}' is required, and the world has none`),
    ...[...keys].flatMap(([key, { values, isList }]) => {
      const property = defined.get(key);
      if (property === undefined)
        return allow_defined_only === true
          ? [`- ${object}: '${key}' is not defined, and only defined keys are allowed`]
          : [];
      const types = new Set([...values].map((value) => typeof value));
      const isFit = types.size === 1 && types.has(property.type) && (property.array === true) === isList;
      if (!isFit)
        return [
          `- ${object}: '${key}' is defined as ${property.array ? 'a list of ' : ''}${property.type}, which does not fit`,
        ];
      const other = property.eq && [...values].find((value) => !property.eq.includes(value));
      return other ? [`- ${object}: '${key}' allows other values than '${other}' only`] : [];
    }),
  ];
}

/**
 * @param {Manifest} manifest @param {Kind} kind
 * @param {any[]} listed what the project has
 * @param {ReadonlyMap<string, string>} names that are to be given, each with the key of its thing
 */
function checkNames(manifest, kind, listed, names) {
  const made = new Set(manifest.of(kind).map(({ id }) => id));
  const pending = manifest.pending();
  for (const { name, id } of listed) {
    const key = names.get(name);
    if (key === undefined || made.has(id) || (pending?.kind === kind && pending.key === key)) continue;
    throw new Obstacle(
      `The project has a ${kind} '${name}' (${id}), of which the manifest says nothing. Put the manifest back that was written when it was created, or remove in the dashboard what is called '${prefix} …'. Nothing was created.`,
    );
  }
  const gone = manifest.of(kind).find(({ id }) => !listed.some((each) => each.id === id));
  if (gone !== undefined)
    throw new Obstacle(`The ${kind} ${gone.id} is there no more. Tear down the rest, and have all created once more.`);
}

/**
 * A tier of somebody else among the newest would take the place of one of the world.
 *
 * @param {any[]} listed @param {Manifest} manifest @param {number} serverTime
 */
function checkNewer(listed, manifest, serverTime) {
  const isOwn = ownTiers(manifest);
  const own = listed.filter(isOwn);
  // The server's time comes in whole seconds.
  const since = own.length === 0 ? serverTime + 2 * second : Math.min(...own.map(createdAt));
  const newer = listed.find((tier) => !isOwn(tier) && Math.max(createdAt(tier), changedAt(tier)) >= since);
  if (newer === undefined) return;
  const when = new Date(Math.max(createdAt(newer), changedAt(newer))).toISOString();
  throw new Obstacle(
    own.length === 0
      ? `The project has a promotion tier '${newer.name}' (${newer.id}) of ${when}, which is in the future: it would always be among the newest 150. Remove it, or take a project of its own. Nothing was created.`
      : `The project has a promotion tier '${newer.name}' (${newer.id}), created or changed on ${when}, after the first one of the world: it may be among the newest 150 in place of one of these. Nothing more was created. Tear down, see that nobody else creates promotions there, and provision once more.`,
  );
}

/** @param {Manifest} manifest @returns {(tier: any) => boolean} whether a listed tier was created here */
function ownTiers(manifest) {
  const ids = new Set(manifest.of('tier').map(({ id }) => id));
  const pending = manifest.pending();
  return (tier) =>
    ids.has(tier.id) ||
    (pending?.kind === 'tier' && pending.name === tier.name && pending.campaign === campaignOf(tier));
}

/** @param {any} tier @returns {string} */
const campaignOf = ({ campaign_id, campaign }) => campaign_id ?? campaign?.id;
/** @param {any} tier @returns {number} */
const createdAt = (tier) => timeOf(tier.created_at, tier);
/** @param {any} tier @returns {number} */
const changedAt = (tier) => timeOf(tier.updated_at ?? tier.created_at, tier);

/** @param {string} time @param {any} tier */
function timeOf(time, { id }) {
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) throw new Obstacle(`Promotion tier ${id} has no time that can be read: ${time}.`);
  return ms;
}

// Creation -----------------------------------------------------------------------------------------------------------

/**
 * Creates what is not there yet, one thing after the other; what is referred to comes first, and of the tiers the
 * oldest.
 *
 * @param {Api} api @param {World} world @param {Manifest} manifest @param {(line: string) => void} say
 */
async function createAll(api, world, manifest, say) {
  /**
   * @param {Pending} pending @param {string} path @param {object} body
   * @param {(made: any) => Promise<unknown>} [complete] what else belongs to it
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
        .surely(() => api.call('POST', path, body), find)
        .catch((error) => {
          if (error instanceof Refusal) manifest.drop();
          throw error;
        });
    }
    if (typeof made.id !== 'string') throw new Obstacle(`POST ${path} was answered without an id.`);
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
  // With a price, so that a discount can be calculated.
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
  for (const [name, { rules }] of rulesOf(world)) {
    const body = ruleBody(name, rules, world, manifest);
    await create({ kind: 'rule', key: name, name }, '/v1/validation-rules', body);
    // Whoever changed conditionsOf since has the rule changed; its tiers stay as they are.
    const rule = manifest.entry('rule', name);
    if (rule === undefined || rule.body === digest(JSON.stringify(body))) continue;
    await api.surely(() => api.call('PUT', `/v1/validation-rules/${encodeURIComponent(rule.id)}`, body));
    manifest.keep({ kind: 'rule', key: name, id: rule.id, body: digest(JSON.stringify(body)) });
  }
  for (const { id, name, category_ids } of world.campaigns) {
    const own = `${prefix} ${name}`;
    const [category, ...others] = category_ids;
    if (others.length > 0 && manifest.entry('campaign', id) === undefined)
      say(`A campaign has one category here: ${name} has its first alone.`);
    const body = {
      name: own,
      campaign_type: 'PROMOTION',
      ...(category === undefined ? {} : { category_id: manifest.idOf('category', category) }),
    };
    await create({ kind: 'campaign', key: id, name: own }, '/v1/campaigns', body);
  }
  for (const tier of world.tiers.toReversed()) {
    const campaign = manifest.idOf('campaign', tier.campaign_id);
    const rule = ruleName(tier);
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
      // Without its rule it would be valid for everybody. Before a newer tier is there, this changes no order.
      const assignment = { related_object_type: 'promotion_tier', related_object_id: made.id };
      await api
        .surely(() => api.call('POST', `/v1/validation-rules/${encodeURIComponent(ruleId)}/assignments`, assignment))
        .catch((error) => {
          if (!(error instanceof Refusal && error.status === 409)) throw error;
        });
    });
  }
}

/** @param {any[]} list @param {string} name @returns {any} */
const called = (list, name) => list.find((each) => each.name === name);

/**
 * How something is found of which nobody knows whether it was created.
 *
 * @type {Record<Kind, (api: Api, pending: Pending) => Promise<any>>}
 */
const finders = {
  category: async (api, { name }) => called(await categoriesOf(api), name),
  customer: (api, { name }) => api.look(`/v1/customers/${encodeURIComponent(name)}`),
  product: (api, { name }) => api.look(`/v1/products/${encodeURIComponent(name)}`),
  // It is created by its source_id, a second time as well, and goes where its product goes.
  sku: async () => undefined,
  rule: async (api, { name }) => called(await api.list('/v1/validation-rules', 'data'), name),
  campaign: (api, { name }) => api.look(`/v1/campaigns/${encodeURIComponent(name)}`),
  tier: async (api, { name, campaign = '' }) => {
    const path = `/v1/promotions/${encodeURIComponent(campaign)}/tiers`;
    return called(listIn(await api.get(path), 'tiers', path), name);
  },
};

// Afterwards ---------------------------------------------------------------------------------------------------------

/**
 * Reads back what was created.
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
    if (there === undefined) return [`${tier.name} is not there`];
    const own = { createdAt: createdAt(there), changedAt: changedAt(there), name: tier.name };
    const isLate = own.createdAt >= newer.createdAt || own.changedAt >= newer.changedAt;
    const after = newer.name;
    newer = own;
    const name = ruleName(tier);
    const rules = name === undefined ? [] : [manifest.idOf('rule', name)];
    const found = assigned.get(there.id) ?? [];
    return [
      ...(isLate ? [`${tier.name} was not created and last changed before ${after}`] : []),
      ...(there.name === tier.name ? [] : [`${tier.name} is called '${there.name}'`]),
      ...(campaignOf(there) === manifest.idOf('campaign', tier.campaign_id)
        ? []
        : [`${tier.name} is in another campaign`]),
      ...(there.active === false ? [`${tier.name} is not active`] : []),
      ...(asText(there.metadata) === asText(tier.metadata)
        ? []
        : [`${tier.name} has the metadata ${asText(there.metadata)} in place of ${asText(tier.metadata)}`]),
      ...(asText(found) === asText(rules)
        ? []
        : [
            `${tier.name} has the rules [${found}] in place of [${rules}]${found.length === 0 ? ': it is valid for everybody' : ''}`,
          ]),
    ];
  });
  if (flaws.length > 0)
    throw new Obstacle(
      [
        'The tiers are not as they were created:',
        ...flaws.map((flaw) => `- ${flaw}.`),
        'Tear down, and provision once more; where the same comes again, the API does not do what its documents say.',
      ].join('\n'),
    );
}

/** @param {any} value @returns {string} the same for the same, in whatever order its members are */
function asText(value) {
  return JSON.stringify(Array.isArray(value) ? value : Object.entries(value ?? {}).sort());
}

/**
 * Has each rule tried on a customer and an order that fit it, and on ones that nearly do.
 *
 * @param {Api} api @param {World} world @param {Manifest} manifest
 */
async function checkRules(api, world, manifest) {
  const flaws = [];
  for (const [name, { rules, tier }] of rulesOf(world)) {
    const rule = manifest.entry('rule', name);
    if (rule === undefined || rule.checked) continue;
    const path = `/v1/promotions/tiers/${encodeURIComponent(manifest.idOf('tier', tier.id))}/validation`;
    const wrong = [];
    for (const fits of [true, false]) {
      const context = contextFor(rules, fits, world, manifest);
      const { valid } = await api.surely(() => api.call('POST', path, context));
      if (valid !== fits)
        wrong.push(`- ${tier.name} (${rule.id}): ${JSON.stringify(context)} is answered valid: ${valid}`);
    }
    if (wrong.length === 0) manifest.keep({ ...rule, checked: true });
    flaws.push(...wrong);
  }
  if (flaws.length > 0)
    throw new Obstacle(
      [
        'The rules of these tiers do not mean what they should:',
        ...flaws,
        `Where the project needed more time, start it again in some minutes: what was checked is not checked again. Else change conditionsOf in ${fileURLToPath(import.meta.url)} and start it again: rules are changed in place. Or leave the kind of rule out of 'capabilities' in the target file, tear down, and provision once more.`,
      ].join('\n'),
    );
}

/**
 * What is sent to try a rule: all of it holds, or all but its first condition.
 *
 * @param {Rule[]} rules @param {boolean} fits @param {World} world @param {Manifest} manifest
 */
function contextFor(rules, fits, world, manifest) {
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
        metadata[rule.key] = holds ? rule.is : `not ${rule.is}`;
    }
  }
  return {
    ...(customer === undefined ? {} : { customer: { id: manifest.idOf('customer', customer) } }),
    order: { items, metadata: orderMetadata },
    metadata,
  };
}

/**
 * Creates the world, or goes on where it ended, and checks it.
 *
 * @param {World} world @param {Setting} setting
 * @returns {Promise<Record<string, string>>} the ids in the project, by those in the world
 * @throws Obstacle
 */
export async function provision(world, setting) {
  const { say = () => {} } = setting;
  const api = connect(setting);
  const manifest = openManifest(setting);
  await preflight(api, world, manifest);
  await createAll(api, world, manifest, say);
  await checkTiers(api, world, manifest);
  await checkRules(api, world, manifest);
  return Object.fromEntries(ofTheWorld(manifest).map(({ key, id }) => [key, id]));
}

/**
 * Removes what the manifest names, and the manifest.
 *
 * @param {Setting} setting
 * @returns {Promise<number>} how many things it named
 * @throws Obstacle where something of somebody else would go along; nothing was removed then
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
  const total = kinds.flatMap(manifest.of).length;
  await checkForeign(api, manifest);

  for (const campaign of manifest.of('campaign')) {
    const path = `/v1/campaigns/${encodeURIComponent(campaign.id)}?force=true`;
    const { async_action_id: action } = (await api.remove(path)) ?? {};
    if (action !== undefined) await untilDone(api, action);
  }
  // That its tiers go with a campaign is written nowhere.
  const isOwn = ownTiers(manifest);
  const left = (await api.list('/v1/promotions/tiers', 'tiers')).filter(isOwn);
  for (const { id } of left) await api.remove(`/v1/promotions/tiers/${encodeURIComponent(id)}`);
  manifest.forget([...manifest.of('tier'), ...manifest.of('campaign')]);
  const paths = /** @type {const} */ ([
    ['rule', '/v1/validation-rules/', ''],
    // Without force they would go to a bin, and their source_id would stay taken. SKUs go with their product.
    ['product', '/v1/products/', '?force=true'],
    ['customer', '/v1/customers/', ''],
    ['category', '/v1/categories/', ''],
  ]);
  for (const [kind, before, after] of paths) {
    for (const thing of manifest.of(kind)) {
      await api.remove(`${before}${encodeURIComponent(thing.id)}${after}`);
      manifest.forget([thing]);
    }
    if (kind === 'product') manifest.forget(manifest.of('sku'));
  }
  return total;
}

/**
 * @param {Api} api @param {Manifest} manifest
 * @throws Obstacle where something that was not created here stands on something that was
 */
async function checkForeign(api, manifest) {
  const ids = new Set(kinds.flatMap((kind) => manifest.of(kind).map(({ id }) => id)));
  const tier = (await api.list('/v1/promotions/tiers', 'tiers')).find(
    (each) => ids.has(campaignOf(each)) && !ids.has(each.id),
  );
  if (tier !== undefined)
    throw new Obstacle(
      `Promotion tier '${tier.name}' (${tier.id}) is in a campaign that was created here, and was not created here itself. Remove it, and start again. Nothing was removed.`,
    );
  const assignment = (await api.list('/v1/validation-rules-assignments', 'data')).find(
    (each) => ids.has(each.rule_id) && !ids.has(each.related_object_id),
  );
  if (assignment !== undefined)
    throw new Obstacle(
      `Validation rule ${assignment.rule_id}, which was created here, is assigned to ${assignment.related_object_id}, which was not. Take it away there, and start again. Nothing was removed.`,
    );
}

/** @param {Api} api @param {string} action which the API does in its own time */
async function untilDone(api, action) {
  for (let tries = 0; tries < 90; tries++) {
    const { status, result } = await api.get(`/v1/async-actions/${encodeURIComponent(action)}`);
    if (status === 'DONE') return;
    if (status === 'FAILED') throw new Obstacle(`${action} failed: ${JSON.stringify(result)}. Start it again.`);
    await api.sleep(2 * second);
  }
  throw new Obstacle(`${action} is not done after three minutes. Start it again later.`);
}

// Command line -------------------------------------------------------------------------------------------------------

/** @param {NodeJS.ProcessEnv} environment @returns {Setting} */
function settingOf({ VOUCHERIFY_API, VOUCHERIFY_APP_ID: id, VOUCHERIFY_APP_TOKEN: token, VOUCHERIFY_MANIFEST }) {
  if (!id || !token)
    throw new Obstacle(
      'VOUCHERIFY_APP_ID and VOUCHERIFY_APP_TOKEN are to be set: the server-side keys of the project.',
    );
  const url = (VOUCHERIFY_API || 'https://api.voucherify.io').replace(/\/+$/, '');
  if (!/^(https:\/\/|http:\/\/(127\.0\.0\.1|\[::1\]|localhost)[:/])/.test(`${url}/`))
    throw new Obstacle(`VOUCHERIFY_API is '${url}', to which no key goes: it begins with https://.`);
  return {
    access: { url, id, token },
    manifest: VOUCHERIFY_MANIFEST || fileURLToPath(new URL('voucherify.manifest.json', import.meta.url)),
    say,
  };
}

/**
 * Says something, without the keys, which an answer of the API may repeat.
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
    throw new Obstacle(
      `'${args.join(' ')}' is no command: there are provision, which is meant without one, and tear-down.`,
    );
  const setting = settingOf(process.env);
  if (command === 'tear-down') say(`Removed all ${await tearDown(setting)} things that were created here.`);
  else process.stdout.write(JSON.stringify(await provision(/** @type {any} */ (await json(process.stdin)), setting)));
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await main(process.argv.slice(2)).catch((/** @type {Error} */ error) => {
    say(error instanceof Obstacle ? error.message : (error.stack ?? String(error)));
    process.exitCode = 1;
  });
}
