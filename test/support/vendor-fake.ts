/**
 * An imitation of a vendor's management API for the worked example in examples/voucherify. It follows the vendor's
 * published documents and shares no code with that example.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { HttpResponse } from '../../src/http/exchange.js';
import { type Listening, listenOnLoopback } from './listen-on-loopback.js';
import { answer, list as array, type Json, object, refuse } from './qualifications-fake.js';

/** A stored thing. The lists are in the order of creation. */
export type Stored = Json & { readonly id: string };

const lists = ['categories', 'campaigns', 'customers', 'products', 'skus', 'rules', 'tiers', 'assignments'] as const;
type List = (typeof lists)[number];

/** What happens to a request: a response, or a connection that breaks before or after the API did its work. */
export type Outcome = 'lost' | 'done-and-lost' | HttpResponse;

const notFound = (id: string) => refuse(404, 'not_found', `Cannot find ${id}`);

export class VendorFake {
  static readonly keys = { id: 'server-app-id-of-tests', token: 'server-app-token-of-tests' };

  readonly stored = Object.fromEntries(lists.map((list) => [list, []])) as unknown as Record<List, Stored[]>;
  /** Method and path of each request, in order. */
  readonly requests: string[] = [];
  /** Replaces the outcome of a request. */
  intercept: (method: string, path: string) => Outcome | undefined = () => undefined;
  /** Ignores rules in the body of a new tier, so that they must be assigned afterwards. */
  ignoresRules = false;

  listen(): Promise<Listening> {
    return listenOnLoopback(createServer((incoming, outgoing) => void this.serve(incoming, outgoing)));
  }

  private async serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming;
    const body = method === 'POST' ? object(await json(incoming)) : {};
    this.requests.push(`${method} ${url}`);
    const outcome = this.intercept(method, url);
    if (outcome === 'lost') return void incoming.socket.destroy();
    const { id, token } = VendorFake.keys;
    const isKnown = headers['x-app-id'] === id && headers['x-app-token'] === token;
    const respond = () => (isKnown ? this.answer(method, url, body) : refuse(401, 'unauthorized', 'Wrong keys'));
    const response = typeof outcome === 'object' ? outcome : respond();
    if (outcome === 'done-and-lost') return void incoming.socket.destroy();
    outgoing.writeHead(response.status, response.headers.flat()).end(response.body);
  }

  private answer(method: string, url: string, body: Json): HttpResponse {
    const [, , first = '', second = '', third] = url.replace(/\?.*/, '').split('/').map(decodeURIComponent);
    const path = [first, ...(second === '' ? [] : ['*']), ...(third === undefined ? [] : [third])].join('/');
    switch (`${method} ${path}`) {
      case 'GET categories':
        return answer(200, { data_ref: 'data', data: this.stored.categories });
      case 'POST categories':
        return typeof body.hierarchy === 'number'
          ? this.create('categories', body)
          : refuse(400, 'invalid_payload', '');
      case 'POST customers':
      case 'POST products':
        return this.upsert(first as List, body);
      case 'POST products/*/skus':
        return this.find('products', second) ? this.upsert('skus', { ...body, product_id: second }) : notFound(second);
      case 'GET campaigns/*':
        return this.find('campaigns', second) ? answer(200, this.find('campaigns', second)) : notFound(second);
      case 'POST campaigns':
        if (body.campaign_type !== 'PROMOTION') return refuse(400, 'invalid_payload', 'campaign_type');
        if (this.find('campaigns', body.name)) return refuse(409, 'duplicate_found', String(body.name));
        return this.create('campaigns', body);
      case 'GET validation-rules':
        return answer(200, { data_ref: 'data', data: this.stored.rules.toReversed().slice(0, 100) });
      case 'POST validation-rules':
        return isWhole(object(body.rules)) ? this.create('rules', body) : refuse(400, 'invalid_validation_rules', '');
      case 'POST validation-rules/*/assignments':
        return this.assign(second, body.related_object_id);
      case 'GET promotions/*/tiers': {
        const tiers = this.stored.tiers.filter(({ campaign_id }) => campaign_id === second);
        return answer(200, { data_ref: 'tiers', tiers });
      }
      case 'POST promotions/*/tiers':
        return this.find('campaigns', second) ? this.createTier(second, body) : notFound(second);
      default:
        return notFound(`${method} ${url}`);
    }
  }

  private create(list: List, thing: Json): HttpResponse {
    const stored = { ...thing, id: `${list}_f0e1d2c3-${this.stored[list].length}` };
    this.stored[list].push(stored);
    return answer(200, stored);
  }

  private upsert(list: List, thing: Json): HttpResponse {
    if (typeof thing.source_id !== 'string') return refuse(400, 'invalid_payload', 'source_id');
    const existing = this.stored[list].find(({ source_id }) => source_id === thing.source_id);
    return existing === undefined ? this.create(list, thing) : answer(200, existing);
  }

  private find(list: List, idOrName: unknown): Stored | undefined {
    return this.stored[list].find(({ id, name }) => id === idOrName || name === idOrName);
  }

  private createTier(campaign_id: string, { validation_rules, ...body }: Json): HttpResponse {
    const { body: created } = this.create('tiers', { ...body, campaign_id, validation_rule_assignments: null });
    const tier: Stored = JSON.parse(created);
    if (!this.ignoresRules) for (const rule of array(validation_rules)) this.assign(String(rule), tier.id);
    const data = this.stored.assignments.filter(({ related_object_id }) => related_object_id === tier.id);
    return answer(200, { ...tier, validation_rule_assignments: { data, total: data.length } });
  }

  private assign(rule_id: string, related_object_id: unknown): HttpResponse {
    if (!this.find('rules', rule_id) || !this.find('tiers', related_object_id)) return notFound(rule_id);
    const isSame = (each: Stored) => each.rule_id === rule_id && each.related_object_id === related_object_id;
    if (this.stored.assignments.some(isSame)) return refuse(409, 'duplicate_found', rule_id);
    return this.create('assignments', { rule_id, related_object_id });
  }
}

/** Whether metadata conditions have a property, and whether the logic names exactly the conditions. */
function isWhole({ logic, ...conditions }: Json): boolean {
  const numbers = String(logic).match(/\d+/g) ?? [];
  const isNamed = Object.values(conditions).every((condition) => {
    const { name, property } = object(condition);
    return typeof name === 'string' && (!name.endsWith('metadata') || typeof property === 'string');
  });
  return isNamed && numbers.join() === Object.keys(conditions).join();
}
