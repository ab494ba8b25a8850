/** The worked examples for a vendor: a loader that creates the world in a project, and a transport. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import { json, text } from 'node:stream/consumers';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import type { Certificate } from '../../src/certificate/certificate.js';
import { readDataFile } from '../../src/contract/data-file.js';
import { credentialPlaceholders } from '../../src/contract/operation.js';
import { pickWorldLists, type Tier, type TierRule, type World } from '../../src/contract/world.js';
import type { HttpResponse } from '../../src/http/exchange.js';
import type { Transport } from '../../src/http/transport.js';
import { loadTransport } from '../../src/http/transport-module.js';
import { packageRoot } from '../../src/support/package-root.js';
import { makeTestFolder } from '../support/cli.js';
import { certifyOver, channelThrough, listRequirementsWith, suite } from '../support/in-process.js';
import { type Listening, listenOnLoopback } from '../support/listen-on-loopback.js';
import {
  answer,
  list as array,
  type Json,
  object,
  QualificationsFake,
  type QualificationsFault,
  qualificationsFaults,
  refuse,
} from '../support/qualifications-fake.js';

// An imitation of the vendor: it follows the published documents and shares no code with the example -------------------

/** A stored thing. The lists are in the order of creation. */
type Stored = Json & { readonly id: string };

const lists = ['categories', 'campaigns', 'customers', 'products', 'skus', 'rules', 'tiers', 'assignments'] as const;
type List = (typeof lists)[number];

/** What happens to a request: a response, or a connection that breaks after the API did its work. */
type Outcome = 'done-and-lost' | HttpResponse;

const notFound = (id: string) => refuse(404, 'not_found', `Cannot find ${id}`);

class VendorFake {
  static readonly keys = { id: 'server-app-id-of-tests', token: 'server-app-token-of-tests' };

  readonly stored = Object.fromEntries(lists.map((list) => [list, []])) as unknown as Record<List, Stored[]>;
  /** Method and path of each request, in order. */
  readonly requests: string[] = [];
  /** Replaces the outcome of a request. */
  intercept: (method: string, path: string) => Outcome | undefined = () => undefined;

  listen(): Promise<Listening> {
    return listenOnLoopback(createServer((incoming, outgoing) => void this.serve(incoming, outgoing)));
  }

  private async serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming;
    const body = method === 'POST' ? object(await json(incoming)) : {};
    this.requests.push(`${method} ${url}`);
    const outcome = this.intercept(method, url);
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
      case 'GET customers':
      case 'GET products':
      case 'GET campaigns':
        return this.answerPage(url, this.stored[first as List]);
      case 'GET products/*/skus':
        return this.answerPage(
          url,
          this.stored.skus.filter(({ product_id }) => product_id === second),
        );
      case 'GET promotions/*':
        return this.answerPage(url, this.stored.tiers.toReversed());
      case 'GET validation-rules-assignments':
        return this.answerPage(url, this.stored.assignments);
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
        return this.answerPage(url, this.stored.rules.toReversed());
      case 'POST validation-rules':
        return this.create('rules', body);
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

  private answerPage(url: string, things: readonly Stored[]): HttpResponse {
    const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1);
    return answer(200, { data_ref: 'data', data: things.slice(100 * (page - 1), 100 * page), total: things.length });
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
    const created_at = new Date(Date.UTC(2026, 0, 1) + this.stored.tiers.length).toISOString();
    const created = this.create('tiers', { ...body, campaign_id, created_at, validation_rule_assignments: null }).body;
    const tier: Stored = JSON.parse(created);
    for (const rule of array(validation_rules)) this.assign(String(rule), tier.id);
    const data = this.stored.assignments.filter(({ related_object_id }) => related_object_id === tier.id);
    return answer(200, { ...tier, validation_rule_assignments: { data, total: data.length } });
  }

  private assign(rule_id: string, related_object_id: unknown): HttpResponse {
    if (!this.find('rules', rule_id) || !this.find('tiers', related_object_id)) return notFound(rule_id);
    const isSame = (assignment: Stored) =>
      assignment.rule_id === rule_id && assignment.related_object_id === related_object_id;
    if (this.stored.assignments.some(isSame)) return refuse(409, 'duplicate_found', rule_id);
    return this.create('assignments', { rule_id, related_object_id });
  }
}

// The loader ------------------------------------------------------------------------------------------------------------

const folder = makeTestFolder();
const world = pickWorldLists(suite.world);

/** An empty project of the vendor, and the loader for it. */
async function openProject() {
  const fake = new VendorFake();
  const { url, close } = await fake.listen();
  const { id, token } = VendorFake.keys;
  const file = path.join(mkdtempSync(path.join(folder, 'project-')), 'shop.ids.yaml');
  writeFileSync(file, '');
  const { PATH } = process.env;
  const env = { PATH, VOUCHERIFY_API: url, VOUCHERIFY_APP_ID: id, VOUCHERIFY_APP_TOKEN: token };
  let loader: ChildProcess | undefined;
  /** Loads a world as `node load.mjs FILE >> FILE` does. */
  const load = async (input: World) => {
    const child = spawn(process.execPath, ['examples/voucherify/load.mjs', file], { cwd: packageRoot, env });
    loader = child;
    child.stdin.on('error', () => undefined).end(JSON.stringify(input));
    const [output, messages] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    const ended = child.signalCode ?? child.exitCode;
    writeFileSync(file, output, { flag: 'a' });
    for (const key of [id, token]) expect(output + messages).not.toContain(key);
    return { output, messages, ended };
  };
  return { fake, file, load, env, kill: () => loader?.kill('SIGKILL') === true, close };
}

/** Expects everything of the world exactly once, in the right order, with the right rules. @param file the bindings */
function expectLoaded({ stored }: VendorFake, file: string, { tiers, ...lists }: World) {
  const ids: Record<string, string> = parse(readFileSync(file, 'utf8'));
  expect(Object.keys(ids)).toHaveLength([tiers, ...Object.values(lists)].flat().length);
  for (const [kind, things] of Object.entries(lists) as [keyof typeof lists, { id: string }[]][])
    expect(stored[kind].map(({ id }) => id)).toEqual(things.map(({ id }) => ids[id]));
  expect(stored.customers.map(({ metadata }) => metadata)).toEqual(
    lists.customers.map(({ id }) => ({ conformance_id: id })),
  );
  const worldIds = new Map(Object.entries(ids).map(([worldId, id]) => [id, worldId]));
  const loaded = stored.tiers.toReversed().map(({ id, name, metadata, campaign_id }): Omit<Tier, 'created_at'> => {
    const assigned = stored.assignments.filter(({ related_object_id }) => related_object_id === id);
    const rules = assigned.map(({ rule_id }) => stored.rules.find((rule) => rule.id === rule_id));
    return {
      ...{ id: worldIds.get(id) ?? '', name: String(name), metadata: object(metadata) as Tier['metadata'] },
      campaign_id: worldIds.get(String(campaign_id)) ?? '',
      rules: rules.flatMap((rule) => readRules(rule?.rules, worldIds)),
    };
  });
  expect(loaded).toEqual(
    tiers.map(({ created_at: _, ...tier }) => ({ ...tier, rules: tier.rules.map(sortCustomers) })),
  );
  expect(new Set(stored.rules.map(({ rules }) => JSON.stringify(rules))).size).toBe(stored.rules.length);
}

const sortCustomers = (rule: TierRule): TierRule =>
  rule.kind === 'customer' ? { ...rule, any_of: rule.any_of.toSorted() } : rule;

/** Reads the rules that numbered conditions stand for. Only customers are alternatives to each other. */
function readRules(stored: unknown, worldIds: ReadonlyMap<string, string>): TierRule[] {
  const { logic, ...numbered } = JSON.parse(JSON.stringify(stored));
  return logic.split(' and ').map((group: string): TierRule => {
    const alternatives = (group.match(/\d+/g) ?? []).map((number) => numbered[number]);
    const [{ name, property: key, conditions, rules }] = alternatives;
    const [value] = conditions.$is ?? conditions.$in;
    if (name === 'redemption.metadata') return { kind: 'metadata', key, is: value };
    if (name === 'order.metadata') return { kind: 'order_metadata', key, includes: value };
    const [at_least] = rules['1']?.conditions.$more_than_or_equal ?? [];
    if (name === 'order.items.any') return { kind: value.object, id: worldIds.get(value.id) ?? '', at_least };
    expect([name, key]).toEqual(['customer.metadata', 'conformance_id']);
    return sortCustomers({ kind: 'customer', any_of: alternatives.map((condition) => condition.conditions.$is[0]) });
  });
}

test('The whole world is loaded in order, a second run creates nothing, and the project is exported as a data file', async () => {
  const { fake, file, load, close, env } = await openProject();
  const { messages, ended } = await load(world);
  expect([ended, messages]).toEqual([0, expect.stringContaining("'gala' gets only its first.\n")]);
  expectLoaded(fake, file, world);
  const before = fake.requests.length;
  expect(await load(world)).toEqual({ ended: 0, output: '', messages: '' });
  expect(fake.requests.length).toBe(before);

  const run = () => {
    const child = spawn(process.execPath, ['examples/voucherify/export.mjs'], { cwd: packageRoot, env });
    return Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  };
  const [output, complaints] = await run();
  expect(complaints).toBe('');
  const exported = path.join(path.dirname(file), 'project.json');
  writeFileSync(exported, output);
  const { tiers, customers, skus } = readDataFile(exported).world;
  const ids = new Map<unknown, unknown>(Object.entries(parse(readFileSync(file, 'utf8'))));
  const bind = (value: unknown) => JSON.parse(JSON.stringify(value), (_, text) => ids.get(text) ?? text);
  const normalize = ({ created_at: _, ...tier }: Tier) => ({ ...tier, rules: tier.rules.map(sortCustomers) });
  expect(tiers.map(normalize)).toEqual(bind(world.tiers).map(normalize));
  const things = new Set<unknown>([...world.customers, ...world.skus].map(({ name: _, ...thing }) => bind(thing)));
  expect(new Set<unknown>([...customers, ...skus])).toEqual(things);
  expect(fake.requests.slice(before).every((request) => request.startsWith('GET '))).toBe(true);
  const [rule, ...others] = fake.stored.rules;
  fake.stored.rules.splice(0, fake.stored.rules.length, { ...rule, rules: { logic: '1 or 2' } } as Stored, ...others);
  expect((await run())[0]).toContain('"kind": "other"');

  writeFileSync(file, readFileSync(file, 'utf8').replace(/^promo_.*\n/m, ''));
  expect((await load(world)).messages).toContain(`Tier '${world.tiers.at(-1)?.name}' must be older than '`);
  await close();
});

test('A killed loader continues, and creates nothing twice', { tag: '@long' }, async () => {
  const { fake, file, load, kill, close } = await openProject();
  for (const last of [1, 5, 61, 150]) {
    // The request takes effect, but its response is lost.
    fake.intercept = () => (fake.requests.length >= last && kill() ? 'done-and-lost' : undefined);
    expect((await load(world)).ended).toBe('SIGKILL');
  }
  fake.intercept = () => undefined;
  expect((await load(world)).ended).toBe(0);
  expectLoaded(fake, file, world);
  await close();
});

/** The transport of the example, with the window of the project or as it is. */
async function withExample<T>(oldest: string | undefined, run: (transport: Transport) => Promise<T>): Promise<T> {
  if (oldest !== undefined) process.env.OLDEST_CHECKED = oldest;
  const file = path.join(packageRoot, 'examples/voucherify/qualifications/transport.mjs');
  return await run(await loadTransport(file)).finally(() => delete process.env.OLDEST_CHECKED);
}

async function certify(transport: Transport, fault?: QualificationsFault): Promise<Certificate> {
  const fake = new QualificationsFake(credentialPlaceholders, fault).load(suite.world);
  const { certificate } = await certifyOver(channelThrough(transport, fake.respond), suite);
  return certificate;
}

const oldest = suite.world.tiers[149]?.created_at;

test('Through the transport, every requirement passes on a project without faults', async () => {
  const certificate = await withExample(oldest, (transport) => certify(transport));
  expect(certificate.verdict, JSON.stringify(certificate.incomplete_because)).toBe('conforms');
  expect(certificate.questions.filter(({ outcome }) => outcome !== null).length).toBeGreaterThan(60);
});

for (const fault of qualificationsFaults)
  test(`A project with the fault ${fault} is found`, {
    tag: fault === 'quantity-ignored' ? [] : ['@long'],
  }, async () => {
    const { verdict } = await withExample(oldest, (transport) => certify(transport, fault));
    expect(verdict).toBe('does-not-conform');
  });

test('Without the window of the project, older promotions are returned, too', { tag: '@long' }, async () => {
  const certificate = await withExample(undefined, (transport) => certify(transport));
  expect(listRequirementsWith('fail', certificate)).toEqual(['limit.newest-150']);
});
