/** The worked example that creates the world in a project of a vendor. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import type { Rule, Tier, World } from '../../src/contract/world.js';
import { createNamedExport } from '../../src/contract/world-formats.js';
import { packageRoot } from '../../src/support/package-root.js';
import { makeTestFolder } from '../support/cli.js';
import { suite } from '../support/in-process.js';
import { answer, object, refuse } from '../support/qualifications-fake.js';
import { type Outcome, VendorFake } from '../support/vendor-fake.js';

const folder = makeTestFolder();
const world = createNamedExport(suite.world);
const few = ['greeting', 'for-ann', 'mug-2', 'shirt-blue-2', 'credit-card', 'broadway'];
const smallWorld: World = { ...world, tiers: world.tiers.filter(({ name }) => few.includes(name)) };

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
  return { fake, file, load, kill: () => loader?.kill('SIGKILL') === true, close };
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

const sortCustomers = (rule: Rule): Rule =>
  rule.kind === 'customer' ? { ...rule, any_of: rule.any_of.toSorted() } : rule;

/** Reads the rules that numbered conditions stand for. Only customers are alternatives to each other. */
function readRules(stored: unknown, worldIds: ReadonlyMap<string, string>): Rule[] {
  const { logic, ...numbered } = JSON.parse(JSON.stringify(stored));
  return logic.split(' and ').map((group: string): Rule => {
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

test('The whole world is loaded in order, and a second run creates nothing', async () => {
  const { fake, file, load, close } = await openProject();
  const { messages, ended } = await load(world);
  expect([ended, messages]).toEqual([0, expect.stringContaining("'gala' gets only its first.\n")]);
  expectLoaded(fake, file, world);
  const before = fake.requests.length;
  expect(await load(world)).toEqual({ ended: 0, output: '', messages: '' });
  expect(fake.requests.length).toBe(before);
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^promo_.*\n/m, ''));
  expect((await load(world)).messages).toContain(`Tier '${world.tiers.at(-1)?.name}' must be older than '`);
  await close();
});

test('A killed loader continues, and creates nothing twice', async () => {
  const { fake, file, load, kill, close } = await openProject();
  for (const last of [1, 2, 5, 60, 61, 150]) {
    // The request takes effect, but its response is lost.
    fake.intercept = () => (fake.requests.length >= last && kill() ? 'done-and-lost' : undefined);
    expect((await load(world)).ended).toBe('SIGKILL');
  }
  fake.intercept = () => undefined;
  expect((await load(world)).ended).toBe(0);
  expectLoaded(fake, file, world);
  await close();
});

for (const outcome of ['lost', 'done-and-lost'] as const) {
  test(`A request that is ${outcome} is repeated, and creates nothing twice`, async () => {
    const { fake, file, load, close } = await openProject();
    const ends = new Set(['/v1/categories', '/campaigns', '/customers', '/skus', '/validation-rules', '/tiers']);
    fake.intercept = (method, url) => {
      const end = method === 'POST' ? [...ends].find((each) => url.endsWith(each)) : undefined;
      return end !== undefined && ends.delete(end) ? outcome : undefined;
    };
    fake.ignoresRules = true;
    const { ended, messages } = await load(smallWorld);
    expect([ended, ends.size, messages.match(/Trying again in 1 s/g)?.length]).toEqual([0, 0, 6]);
    expectLoaded(fake, file, smallWorld);
    await close();
  });
}

test('The loader waits for the rate limit, and ends if it would wait for hours', async () => {
  const { fake, file, load, close } = await openProject();
  const limit = (name: string, value: number): Outcome => ({ status: 429, headers: [[name, String(value)]], body: '' });
  fake.intercept = () => {
    if (fake.requests.length === 3) return limit('Retry-After', 1);
    return fake.requests.length === 4 ? limit('X-Rate-Limit-Retry', Math.ceil(Date.now() / 1_000)) : undefined;
  };
  const start = Date.now();
  const { ended, messages } = await load(smallWorld);
  expect([ended, messages.match(/^The rate limit is used up\. Waiting until /gm)?.length]).toEqual([0, 2]);
  expect(Date.now() - start).toBeGreaterThan(1_900);
  expectLoaded(fake, file, smallWorld);
  fake.intercept = () => limit('Retry-After', 90_000);
  const late = await load({ ...smallWorld, categories: [...world.categories, { id: 'cat_own', name: 'own' }] });
  expect(late).toMatchObject({ ended: 1, messages: expect.stringContaining('for more than two hours') });
  await close();
});

test('An error of the API is shown with its message and without keys', async () => {
  const { fake, file, load, close } = await openProject();
  const { id, token } = VendorFake.keys;
  fake.intercept = () => refuse(401, 'unauthorized', `${id} does not know ${token}`);
  const refused = await load(smallWorld);
  expect(refused).toMatchObject({ ended: 1, output: '' });
  expect(refused.messages).toMatch(
    /returned 401: .*"\$VOUCHERIFY_APP_ID does not know \$VOUCHERIFY_APP_TOKEN".*\nCheck that VOUCHERIFY_APP_ID and/,
  );
  fake.intercept = (method) => (method === 'POST' ? answer(200, { id: `cat_${token}` }) : undefined);
  expect(await load(smallWorld)).toMatchObject({
    ended: 1,
    output: '',
    messages: expect.stringContaining('no usable id'),
  });
  fake.intercept = () => undefined;
  await load(smallWorld);
  writeFileSync(file, '');
  expect((await load(smallWorld)).messages).toMatch(/returned 409: .*\nName the output of the run that created it/);
  await close();
});
