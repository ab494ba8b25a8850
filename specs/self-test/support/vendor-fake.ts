/**
 * An imitation of a vendor's management API for the worked example in targets/voucherify. It follows the vendor's
 * published documents and shares no code with that example.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { HttpRequest, HttpResponse } from '../../../src/http/exchange.js';
import { type Listening, listenOnLoopback } from './listen-on-loopback.js';
import { answer, list as array, type Json, object, refuse } from './qualifications-fake.js';

/** A clock of the test: sleeping moves its time and returns at once. */
export class TestClock {
  readonly slept: number[] = [];

  constructor(public time = Date.parse('2026-01-05T08:00:00.000Z')) {}

  readonly now = (): number => this.time;

  readonly sleep = async (ms: number): Promise<void> => {
    this.slept.push(ms);
    this.time += ms;
  };
}

/** A stored thing, with an id and a creation time. */
export type Stored = Json & { readonly id: string; readonly created_at: string };

const idPrefixes = {
  categories: 'cat',
  customers: 'cust',
  products: 'prod',
  skus: 'sku',
  rules: 'val',
  assignments: 'asgm',
  campaigns: 'camp',
  tiers: 'promo',
};
type List = keyof typeof idPrefixes;
const lists = Object.keys(idPrefixes) as List[];

/** Differences between this project and the documents. */
export interface VendorVariations {
  /** The rate limit. */
  readonly callsPerHour?: number;
  /** Ignores rules in the body of a new tier, so that they must be assigned afterwards. */
  readonly overlooksRules?: boolean;
  /** Keeps the tiers of a deleted campaign. */
  readonly keepsTiers?: boolean;
  /** Changes the conditions of rules when it stores them. */
  storedRules?: (rules: Json) => Json;
  readonly metadataSchemas?: readonly Json[];
}

/** The outcome of a call: answered, answered by a proxy, or a connection that breaks before or after the call took effect. */
export type CallOutcome =
  | 'answered'
  | 'lost'
  | 'done-and-lost'
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> };

const hour = 3_600_000;
const notFound = (id: string) => refuse(404, 'not_found', `Cannot find ${id}`);

export class VendorFake {
  static readonly access = { id: 'server-app-id-of-tests', token: 'server-app-token-of-tests' };

  readonly stored = Object.fromEntries(lists.map((list) => [list, []])) as unknown as Record<List, Stored[]>;
  /** Method and path of each call within the rate limit, in order. */
  readonly calls: string[] = [];
  /** The number of concurrent calls. */
  overlapping = 0;
  /** The number of calls beyond the rate limit. */
  tooMany = 0;
  /** Decides the outcome of a call by its number, method and path. */
  decideOutcome: (n: number, method: string, path: string) => CallOutcome = () => 'answered';

  private readonly actions = new Map<string, { polls: number; done: () => void }>();
  private serial = 0;
  private windowEnd = 0;
  private inWindow = 0;
  private active = 0;

  constructor(
    readonly clock: TestClock,
    readonly peculiarities: VendorVariations = {},
  ) {}

  /** The calls that created or changed something. */
  get changes(): string[] {
    return this.calls.filter((call) => !call.startsWith('GET ') && !call.endsWith('/validation'));
  }

  /** Adds a thing of somebody else. */
  add(list: List, thing: Json): Stored {
    this.clock.time += 40;
    const stored = { created_at: new Date(this.clock.time).toISOString(), ...thing, id: this.newId(list) };
    this.stored[list].unshift(stored);
    return stored;
  }

  /** Serves it on a free local port. */
  listen(): Promise<Listening> {
    return listenOnLoopback(createServer((incoming, outgoing) => void this.serve(incoming, outgoing)));
  }

  private async serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (this.active++ > 0) this.overlapping++;
    const { method = '', url = '', headers } = incoming;
    const body = method === 'GET' || method === 'DELETE' ? {} : object(await json(incoming));
    this.active--;
    this.clock.time += 3;
    outgoing.setHeader('Date', new Date(this.clock.time).toUTCString());
    let response = this.limited(outgoing);
    if (response === undefined) {
      this.calls.push(`${method} ${url}`);
      const fate = this.decideOutcome(this.calls.length, method, url);
      if (fate === 'lost') return void incoming.socket.destroy();
      if (typeof fate === 'object') return void outgoing.writeHead(fate.status, fate.headers).end();
      const { id, token } = VendorFake.access;
      const isKnown = headers['x-app-id'] === id && headers['x-app-token'] === token;
      response = isKnown
        ? this.answer(method, url, body)
        : refuse(401, 'unauthorized', `not ${headers['x-app-token']}`);
      if (fate === 'done-and-lost') return void incoming.socket.destroy();
    }
    outgoing.writeHead(response.status).end(response.body);
  }

  private limited(outgoing: ServerResponse): HttpResponse | undefined {
    const { callsPerHour } = this.peculiarities;
    if (callsPerHour === undefined) return undefined;
    if (this.clock.time >= this.windowEnd) {
      this.windowEnd = this.clock.time + hour;
      this.inWindow = 0;
    }
    const isOver = ++this.inWindow > callsPerHour;
    outgoing.setHeader('X-Rate-Limit-Limit', callsPerHour);
    outgoing.setHeader('X-Rate-Limit-Remaining', Math.max(callsPerHour - this.inWindow, 0));
    outgoing.setHeader('X-Rate-Limit-Retry', Math.ceil(this.windowEnd / 1000));
    if (!isOver) return undefined;
    this.tooMany++;
    return answer(429, { code: 429, message: 'Too many requests' });
  }

  private answer(method: string, url: string, body: Json): HttpResponse {
    const { pathname, searchParams } = new URL(url, 'http://fake');
    const [, version, ...steps] = pathname.split('/').map(decodeURIComponent);
    if (version !== 'v1') return notFound(url);
    const [first = '', second, third, fourth] = steps;
    const call = `${method} ${[first, ...steps.slice(1).map((step) => (step === 'tiers' ? step : '*'))].join('/')}`;
    switch (
      first === 'promotions' || third !== undefined ? call : `${method} ${first}${second === undefined ? '' : '/*'}`
    ) {
      case 'GET metadata-schemas':
        return answer(200, { data_ref: 'schemas', schemas: this.peculiarities.metadataSchemas ?? [] });
      case 'GET categories':
        return answer(200, { data_ref: 'data', data: this.stored.categories });
      case 'POST categories':
        if (typeof body.hierarchy !== 'number') return refuse(400, 'invalid_payload', 'hierarchy');
        return this.create('categories', body);
      case 'POST customers':
        return this.upsert('customers', body);
      case 'POST products':
        return this.upsert('products', body);
      case 'POST products/*/*':
        if (this.find('products', second) === undefined || third !== 'skus') return notFound(url);
        return this.upsert('skus', { ...body, product_id: second });
      case 'GET customers/*':
      case 'GET products/*':
      case 'GET campaigns/*':
        return this.show(first as List, second);
      case 'GET validation-rules':
        return this.page('rules', 'data', searchParams);
      case 'POST validation-rules': {
        const flaw = findFlaw(object(body.rules));
        return flaw === undefined ? this.create('rules', this.rule(body)) : flaw;
      }
      case 'PUT validation-rules/*': {
        const rules = this.stored.rules;
        const n = rules.findIndex(({ id }) => id === second);
        const old = rules[n];
        if (old === undefined) return notFound(url);
        rules[n] = { ...old, ...this.rule(body) };
        return answer(200, rules[n]);
      }
      case 'POST validation-rules/*/*':
        return this.assign(second ?? '', String(body.related_object_id));
      case 'GET validation-rules-assignments':
        return this.page('assignments', 'data', searchParams);
      case 'POST campaigns':
        if (body.campaign_type !== 'PROMOTION') return refuse(400, 'invalid_payload', 'campaign_type');
        if (this.find('campaigns', String(body.name)) !== undefined)
          return refuse(409, 'duplicate_found', String(body.name));
        return this.create('campaigns', body);
      case 'GET promotions/tiers':
        return this.page('tiers', 'tiers', searchParams);
      case 'GET promotions/*/tiers':
        return answer(200, {
          data_ref: 'tiers',
          tiers: this.stored.tiers.filter(({ campaign_id }) => campaign_id === second),
        });
      case 'POST promotions/*/tiers':
        return this.createTier(second ?? '', body);
      case 'POST promotions/tiers/*/*': {
        const tier = this.find('tiers', third);
        if (tier === undefined || fourth !== 'validation') return notFound(url);
        return answer(200, { valid: this.isValid(tier, body), id: tier.id, object: 'promotion_tier' });
      }
      case 'DELETE promotions/tiers/*':
        return this.remove('tiers', third ?? '');
      case 'DELETE validation-rules/*':
        return this.remove('rules', second ?? '');
      case 'DELETE customers/*':
      case 'DELETE categories/*':
        return this.remove(first as List, second ?? '');
      case 'DELETE products/*':
        if (searchParams.get('force') !== 'true') return refuse(400, 'test', 'It would go to the bin.');
        this.stored.skus = this.stored.skus.filter(({ product_id }) => product_id !== second);
        return this.remove('products', second ?? '');
      case 'DELETE campaigns/*': {
        if (searchParams.get('force') !== 'true') return refuse(400, 'test', 'It would go to the bin.');
        if (this.find('campaigns', second) === undefined) return notFound(url);
        const id = `aa_${++this.serial}`;
        this.actions.set(id, { polls: 0, done: () => this.removeCampaign(second ?? '') });
        return answer(202, { async_action_id: id });
      }
      case 'GET async-actions/*': {
        const action = this.actions.get(second ?? '');
        if (action === undefined) return notFound(url);
        if (action.polls++ < 1) return answer(200, { id: second, status: 'IN_PROGRESS', progress: 10 });
        action.done();
        return answer(200, { id: second, status: 'DONE', progress: 100 });
      }
      default:
        return notFound(`${method} ${url}`);
    }
  }

  private newId(list: List): string {
    return `${idPrefixes[list]}_${(++this.serial).toString(16).padStart(12, 'f0e1d2c3b4a5')}`;
  }

  private create(list: List, thing: Json): HttpResponse {
    if (typeof thing.name !== 'string') return refuse(400, 'invalid_payload', 'name');
    return answer(200, this.add(list, thing));
  }

  private upsert(list: 'customers' | 'products' | 'skus', thing: Json): HttpResponse {
    if (typeof thing.source_id !== 'string') return refuse(400, 'invalid_payload', 'source_id');
    return answer(200, this.find(list, thing.source_id) ?? this.add(list, thing));
  }

  private find(list: List, id: string | undefined): Stored | undefined {
    return this.stored[list].find(
      (each) => each.id === id || each.source_id === id || (list === 'campaigns' && each.name === id),
    );
  }

  private show(list: List, id: string | undefined): HttpResponse {
    const found = this.find(list, id);
    return found === undefined ? notFound(String(id)) : answer(200, found);
  }

  private remove(list: List, id: string): HttpResponse {
    if (this.find(list, id) === undefined) return notFound(id);
    this.stored[list] = this.stored[list].filter((each) => each.id !== id);
    this.stored.assignments = this.stored.assignments.filter((each) => each.related_object_id !== id);
    return { status: 204, headers: [], body: '' };
  }

  private removeCampaign(id: string): void {
    if (!this.peculiarities.keepsTiers)
      for (const tier of this.stored.tiers.filter(({ campaign_id }) => campaign_id === id))
        this.remove('tiers', tier.id);
    this.remove('campaigns', id);
  }

  private page(list: List, member: string, query: URLSearchParams): HttpResponse {
    const limit = Number(query.get('limit') ?? 10);
    if (limit > 100 || query.get('order') !== '-created_at') return refuse(400, 'invalid_query_params', 'limit, order');
    const from = (Number(query.get('page') ?? 1) - 1) * limit;
    const all = this.stored[list].toSorted((a, b) => b.created_at.localeCompare(a.created_at));
    const some = all.slice(from, from + limit);
    return answer(200, {
      data_ref: member,
      [member]: some,
      total: all.length,
      has_more: from + limit < all.length,
    });
  }

  private rule(body: Json): Json {
    const { storedRules = (rules: Json) => rules } = this.peculiarities;
    return { ...body, rules: storedRules(object(body.rules)) };
  }

  private createTier(campaign: string, body: Json): HttpResponse {
    if (this.find('campaigns', campaign) === undefined) return notFound(campaign);
    if (typeof body.name !== 'string') return refuse(400, 'invalid_payload', 'name');
    const { validation_rules, ...rest } = body;
    const tier = this.add('tiers', {
      ...rest,
      metadata: object(body.metadata),
      campaign_id: campaign,
      active: true,
      validation_rule_assignments: null,
    });
    if (!this.peculiarities.overlooksRules)
      for (const rule of array(validation_rules)) this.assign(String(rule), tier.id);
    const data = this.stored.assignments.filter(({ related_object_id }) => related_object_id === tier.id);
    return answer(200, { ...tier, validation_rule_assignments: { data, total: data.length } });
  }

  private assign(rule_id: string, related_object_id: string): HttpResponse {
    if (this.find('rules', rule_id) === undefined) return notFound(rule_id);
    const isThere = (each: Stored) => each.rule_id === rule_id && each.related_object_id === related_object_id;
    if (this.stored.assignments.some(isThere)) return refuse(409, 'duplicate_found', rule_id);
    return answer(200, this.add('assignments', { rule_id, related_object_id, related_object_type: 'promotion_tier' }));
  }

  // What rules mean --------------------------------------------------------------------------------------------------

  /** Whether a tier is valid for the customer, order and metadata of a body. */
  isValid(tier: Stored, body: Json): boolean {
    const assigned = this.stored.assignments.filter(({ related_object_id }) => related_object_id === tier.id);
    return assigned.every(({ rule_id }) => this.holds(object(this.find('rules', String(rule_id))?.rules), body));
  }

  /** Whether numbered conditions hold: `findFlaw` allows groups of alternatives only, all joined by `and`. */
  private holds(rules: Json, body: Json): boolean {
    const groups = String(rules.logic).split(' and ');
    return groups.every((group) => group.match(/\d+/g)?.some((number) => this.condition(object(rules[number]), body)));
  }

  private condition({ name, property, conditions, rules }: Json, body: Json): boolean {
    const key = String(property);
    const order = object(body.order);
    switch (name) {
      case 'customer.metadata':
        return compare(object(this.find('customers', String(object(body.customer).id))?.metadata)[key], conditions);
      case 'redemption.metadata':
        return compare(object(body.metadata)[key], conditions);
      case 'order.metadata':
        return array(object(order.metadata)[key]).some((value) => compare(value, conditions));
      case 'order.items.any': {
        const wanted = array(object(conditions).$is).map(object);
        const items = array(order.items)
          .map(object)
          .filter((item) => wanted.some(({ id, object: kind }) => id !== undefined && item[`${kind}_id`] === id));
        const { name: inner, conditions: threshold } = object(object(rules)['1']);
        if (inner !== 'order.items.aggregated_quantity') return false;
        return (
          items.length > 0 &&
          compare(
            items.reduce((sum, { quantity = 1 }) => sum + Number(quantity), 0),
            threshold,
          )
        );
      }
      default:
        return false;
    }
  }

  // The operation that the suite is about ----------------------------------------------------------------------------

  /** Answers the documented operation. */
  readonly validate = (request: HttpRequest): HttpResponse => {
    const query = request.path.split('?')[1] ?? '';
    const body = object(JSON.parse(request.body || '{}'));
    const newest = this.stored.tiers.toSorted((a, b) => b.created_at.localeCompare(a.created_at)).slice(0, 150);
    const filters = query.split('&').map((pair) => pair.split('=').map(decodeURIComponent));
    const fits = (tier: Stored) =>
      filters.every(([name = '', value]) => {
        const [, key] = /^\[filters\]\[metadata\.(.+)\]\[conditions\]\[\$is\]$/.exec(name) ?? [];
        if (key !== undefined) return object(tier.metadata)[key] === value;
        return name !== '[filters][promotion_id][conditions][$is]' || tier.campaign_id === value;
      });
    const promotions = newest
      .filter((tier) => fits(tier) && this.isValid(tier, body))
      .map(({ id, name, metadata }) => ({ id, name, metadata, object: 'promotion_tier' }));
    return answer(200, { valid: true, promotions });
  };
}

function compare(value: unknown, conditions: unknown): boolean {
  return Object.entries(object(conditions)).every(([operator, wanted]) => {
    if (operator === '$is') return array(wanted).length === 1 && array(wanted)[0] === value;
    if (operator === '$in') return array(wanted).includes(value);
    return operator === '$more_than_or_equal' && Number(value) >= Number(array(wanted)[0]);
  });
}

/** Rejects metadata conditions without property, and logic that names unknown conditions or is nested. */
function findFlaw({ logic, ...conditions }: Json): HttpResponse | undefined {
  const numbers = String(logic).match(/\d+/g) ?? [];
  const isWhole = numbers.every((number) => number in conditions);
  const isFlat = /^\d+( and \d+)*$/.test(String(logic).replaceAll(/\(\d+( or \d+)*\)/g, '0'));
  const isNamed = Object.values(conditions).every((each) => {
    const { name, property } = object(each);
    return typeof name === 'string' && (!name.endsWith('metadata') || typeof property === 'string');
  });
  return isWhole && isFlat && isNamed ? undefined : refuse(400, 'invalid_validation_rules', String(logic));
}
