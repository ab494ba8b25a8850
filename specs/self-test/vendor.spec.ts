import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { createOracle } from '../../src/contract/oracle.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { packageRoot } from '../../src/support/package-root.js';
import { bindWorld } from '../../src/world/bind-world.js';
import { listNames, thingKinds } from '../../src/world/named-world.js';
import type { World } from '../../src/world/world.js';
import { createNamedExport } from '../../src/world/world-formats.js';
import { copyTargets, makeTestFolder, runConformanceInProcess } from './support/cli.js';
import { createBindings, suite } from './support/in-process.js';
import { type CallOutcome, TestClock, VendorFake, type VendorVariations } from './support/vendor-fake.js';

/** The exports of the worked example. */
interface Example {
  provision(world: World & { existing?: Record<string, string> }, setting: Setting): Promise<Record<string, string>>;
  tearDown(setting: Setting): Promise<number>;
}
interface Setting {
  access: { url: string; id: string; token: string };
  manifest: string;
  say(line: string): void;
  clock: TestClock;
}

const script = path.join(packageRoot, 'targets', 'voucherify', 'provision.mjs');
const { provision, tearDown }: Example = await import(pathToFileURL(script).href);

const folder = makeTestFolder();

const world = createNamedExport(suite.world);
const few = ['greeting', 'for-ann', 'mug-2', 'shirt-blue-2', 'credit-card', 'boolean-true', 'ann-with-mug-on-broadway'];
/** One tier for each kind of rule, and what it needs. */
const smallWorld: World = only(few, ['ordinary', 'ann', 'bulk', 'mug', 'shirt', 'plate', 'shirt-blue']);
function only(tierNames: readonly string[], names: readonly string[]): World {
  const tiers = world.tiers.filter(({ name }) => tierNames.includes(name));
  const isNamed = ({ name = '' }: { name?: string }) => names.includes(name);
  return {
    ...{ customers: world.customers.filter(isNamed), products: world.products.filter(isNamed) },
    ...{ skus: world.skus.filter(isNamed), categories: world.categories.slice(0, 2), tiers },
    campaigns: world.campaigns.filter(({ id }) => tiers.some(({ campaign_id }) => campaign_id === id)),
  };
}
const thingsIn = (of: World) => Object.values(of).flat().length;
const rulesIn = (of: World) =>
  new Set(
    of.tiers.flatMap(({ rules }) =>
      rules.length === 0
        ? []
        : [JSON.stringify(rules.map((rule) => (rule.kind === 'customer' ? rule.any_of.toSorted() : rule)))],
    ),
  ).size;

const openServers: (() => Promise<void>)[] = [];
test.afterEach(async () => {
  for (const close of openServers.splice(0)) await close();
});

/** An empty project, and how the script uses it. */
async function project(peculiarities: VendorVariations = {}) {
  const clock = new TestClock();
  const fake = new VendorFake(clock, peculiarities);
  const { url, close } = await fake.listen();
  openServers.push(close);
  const said: string[] = [];
  const manifest = path.join(mkdtempSync(path.join(folder, 'project-')), 'manifest.json');
  const setting = { access: { ...VendorFake.access, url }, manifest, say: (line: string) => said.push(line), clock };
  return {
    ...{ fake, clock, said, setting, url, manifest },
    create: (of: World = smallWorld) => provision(of, setting),
    tearDown: () => tearDown(setting),
  };
}

/** The message of a call that must fail. */
const getFailure = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'nothing failed',
    ({ message }) => message,
  );

/** Expects every thing of the world exactly once, in the right order. */
function expectWhole({ stored }: VendorFake, of: World, ids: Record<string, string>) {
  expect(Object.keys(ids)).toHaveLength(thingsIn(of));
  for (const list of ['customers', 'products', 'skus', 'categories', 'campaigns', 'tiers'] as const)
    expect(stored[list].map(({ id }) => id).sort(), list).toEqual(of[list].map(({ id }) => ids[id]).sort());
  expect(stored.rules).toHaveLength(rulesIn(of));
  expect(stored.assignments).toHaveLength(of.tiers.filter(({ rules }) => rules.length > 0).length);
  const newestFirst = stored.tiers.toSorted((a, b) => b.created_at.localeCompare(a.created_at));
  expect(newestFirst.map(({ name }) => name)).toEqual(of.tiers.map(({ name }) => name));
}

test('The script creates the world within a rate limit, its rules agree with the oracle, and a second run creates nothing', async () => {
  const { fake, clock, said, create } = await project({ callsPerHour: 100 });
  const ids = await create(world);
  expectWhole(fake, world, ids);
  expect([fake.tooMany, fake.overlapping]).toEqual([0, 0]);
  expect(clock.slept.length).toBe(Math.floor(fake.calls.length / 100));
  expect(said.filter((line) => line.includes('waiting until'))).toHaveLength(clock.slept.length);
  expect(said).toContain("A campaign has one category here: 'gala' gets only its first.");

  const bindings = createBindings((kind, name) => ids[suite.world.ids[kind].get(name) ?? '']);
  const own = bindWorld(suite.world, { bindings });
  const requests = suite.cases
    .flatMap((each) => (each.kind === 'requirement' && /^(order|metadata)\./.test(each.verifies) ? each.rows : []))
    .flatMap((row) => [...row.requests.values()])
    .filter((_, n) => n % 3 === 0);
  const answers = requests.map((each): { obliged: number; wrong: string[] } => {
    const inProject = JSON.stringify(each).replaceAll(/[a-z]+_[0-9a-f]{24}/g, (id) => ids[id] ?? id);
    const request: HttpRequest = JSON.parse(inProject);
    const oracle = createOracle(request, own);
    const { promotions } = JSON.parse(fake.validate(request).body) as { promotions: { id: string }[] };
    const returned = new Set(promotions.map(({ id }) => id));
    const duties = own.tiers.map((tier) => ({ tier, obligation: oracle.returned(tier) }));
    const obliged = duties.filter(({ obligation }) => obligation !== 'open');
    const wrong = obliged.filter(({ tier, obligation }) => (obligation === 'required') !== returned.has(tier.id));
    return { obliged: obliged.length, wrong: wrong.map(({ tier }) => tier.name) };
  });
  expect(answers.filter(({ obliged }) => obliged > 0).length).toBeGreaterThan(10);
  expect(answers.filter(({ wrong }) => wrong.length > 0)).toEqual([]);

  const before = fake.changes.length;
  expect(await create(world)).toEqual(ids);
  expect(fake.changes.length).toBe(before);
});

test('A killed script resumes, creates nothing twice and writes no key to a file @long', async () => {
  const home = mkdtempSync(path.join(folder, 'home-'));
  copyTargets(home);
  const { fake, url } = await project();
  const env = {
    VOUCHERIFY_API: url,
    VOUCHERIFY_APP_ID: VendorFake.access.id,
    VOUCHERIFY_APP_TOKEN: VendorFake.access.token,
    VOUCHERIFY_ORIGIN: 'https://shop.example.com',
    CLIENT_APPLICATION_ID: 'client-id-of-tests',
    CLIENT_TOKEN: 'client-token-of-tests',
  };
  const own = path.join(home, 'targets', 'voucherify');
  const child = spawn(process.execPath, ['provision.mjs'], { cwd: own, env: { PATH: process.env.PATH, ...env } });
  // The call took effect, but the response is lost with the process.
  fake.decideOutcome = (n) => (n === 220 && child.kill('SIGKILL') ? 'done-and-lost' : 'answered');
  child.stdin.end(JSON.stringify(world));
  expect(await new Promise((resolve) => child.on('close', (_, signal) => resolve(signal)))).toBe('SIGKILL');
  expect(fake.stored.tiers.length).toBeGreaterThan(10);

  const options = { cwd: home, env };
  const args = ['provision', '--target', 'targets/voucherify/target.yaml'];
  const { status, output } = await runConformanceInProcess(args, options);
  expect([status, output]).toEqual([0, expect.stringContaining(`bindings.yaml has ${thingsIn(world)} ids now.`)]);
  const bindings = readFileSync(path.join(own, 'voucherify.bindings.yaml'), 'utf8');
  const bindingsOf: Record<string, Record<string, string>> = parse(bindings);
  const ids = thingKinds.flatMap((kind) =>
    Object.entries(bindingsOf[listNames[kind]] ?? {}).map(([name, id]) => [suite.world.ids[kind].get(name), id]),
  );
  expectWhole(fake, world, Object.fromEntries(ids));
  const written = [output, bindings, readFileSync(path.join(own, 'voucherify.manifest.json'), 'utf8')].join();
  for (const secret of [...Object.values(VendorFake.access), env.CLIENT_TOKEN]) expect(written).not.toContain(secret);
});

test.describe('Lost calls', () => {
  const created = [
    '/v1/categories',
    '/v1/customers',
    '/v1/products',
    '/skus',
    '/v1/validation-rules',
    '/v1/campaigns',
    '/tiers',
  ];
  for (const outcome of ['lost', 'done-and-lost'] as const) {
    test(`A call that is ${outcome} is repeated without creating anything twice`, async () => {
      const { fake, create } = await project();
      const once = new Set(created);
      fake.decideOutcome = (_, method, url): CallOutcome =>
        method === 'POST' && once.delete(created.find((end) => url.endsWith(end)) ?? '') ? outcome : 'answered';
      expectWhole(fake, smallWorld, await create());
      expect(once.size).toBe(0);
    });
  }

  test('The script gives up when every call is lost, and resumes when it is run again', async () => {
    const { fake, create, tearDown: remove, clock } = await project();
    // The last tier is created, but the manifest lists it as pending.
    const isLast = (method: string, url: string) =>
      method === 'POST' && url.endsWith('/tiers') && fake.stored.tiers.length === smallWorld.tiers.length - 1;
    let isDown = false;
    fake.decideOutcome = (_, method, url): CallOutcome => {
      if (isDown) return 'lost';
      isDown = isLast(method, url);
      return isDown ? 'done-and-lost' : 'answered';
    };
    expect(await getFailure(create())).toMatch(
      /^GET \/v1\/promotions\/.*Run the script again later: it resumes here\.$/,
    );
    expect(clock.slept.slice(0, 2)).toEqual([1000, 1000]);
    fake.decideOutcome = () => 'answered';
    expectWhole(fake, smallWorld, await create());
    expect(await remove()).toBe(thingsIn(smallWorld) + rulesIn(smallWorld));
  });
});

test.describe('The first call fails', () => {
  const far = `${Date.parse('2026-02-01T00:00:00.000Z') / 1000}`;
  const cases: readonly [outcome: Exclude<CallOutcome, string>, slept: number[], message: string][] = [
    [{ status: 429, headers: { 'Retry-After': '7', 'X-Rate-Limit-Retry': far } }, [7000], 'nothing failed'],
    [{ status: 429 }, [60_000], 'nothing failed'],
    [{ status: 503 }, [1000], 'nothing failed'],
    [{ status: 429, headers: { 'X-Rate-Limit-Retry': far } }, [], 'is used up until 2026-02-01T00:00:01.'],
    [{ status: 402 }, [], 'returned 402: \nThe plan does not allow it.'],
    [{ status: 302, headers: { Location: 'http://127.0.0.1:1' } }, [], 'returned 302'],
  ];
  for (const [outcome, slept, message] of cases) {
    test(JSON.stringify(outcome), async () => {
      const { fake, clock, create } = await project();
      fake.decideOutcome = (n) => (n === 1 ? outcome : 'answered');
      expect(await getFailure(create(only([], [])))).toContain(message);
      // The server states its time in whole seconds.
      expect(clock.slept.map((ms) => Math.round(ms / 1000) * 1000)).toEqual(slept);
    });
  }
});

test.describe('Promotion tiers of somebody else', () => {
  const tier = { name: 'Black Friday', campaign_id: 'camp_other', metadata: {} };

  test('Older tiers are ignored; a tier in the future stops the script before it creates anything', async () => {
    const { fake, clock, create } = await project();
    fake.add('tiers', tier);
    const created_at = new Date(clock.time + 86_400_000).toISOString();
    const { id } = fake.add('tiers', { ...tier, created_at });
    expect(await getFailure(create())).toContain(`'Black Friday' (${id}) of ${created_at}, which is in the future`);
    expect(fake.changes).toEqual([]);
    fake.stored.tiers = fake.stored.tiers.filter((each) => each.id !== id);
    await create();
  });

  test('A tier that is created meanwhile is found when the tiers are read back', async () => {
    const { fake, create } = await project();
    fake.decideOutcome = (_, method, url) => {
      if (method === 'POST' && url.endsWith('/tiers') && fake.stored.tiers.length === 3) fake.add('tiers', tier);
      return 'answered';
    };
    expect(await getFailure(create())).toContain("The project has a promotion tier 'Black Friday'");
  });

  test('A tier that is changed after the first of the world stops the script', async () => {
    const { fake, clock, create, manifest } = await project();
    const early = fake.add('tiers', tier);
    fake.decideOutcome = (_, method, url) =>
      method === 'POST' && url.endsWith('/tiers') && fake.stored.tiers.length > 3 ? 'lost' : 'answered';
    await getFailure(create());
    fake.decideOutcome = () => 'answered';
    const updated_at = new Date(clock.time).toISOString();
    fake.stored.tiers = fake.stored.tiers.map((each) => (each.id === early.id ? { ...each, updated_at } : each));
    const before = [fake.changes.length, readFileSync(manifest, 'utf8')];
    expect(await getFailure(create())).toMatch(
      /'Black Friday' .*, after the first tier of the world: .* Run tear-down, make sure that/,
    );
    expect([fake.changes.length, readFileSync(manifest, 'utf8')]).toEqual(before);
  });
});

test.describe('tear-down', () => {
  test('Only things of others are left, even where tiers outlive their campaign', async () => {
    const { fake, create, tearDown: remove, manifest } = await project({ keepsTiers: true });
    const others = (['categories', 'customers', 'products', 'rules', 'campaigns', 'tiers'] as const).map((list) =>
      fake.add(list, { name: 'of others' }),
    );
    await create();
    expect(await remove()).toBe(thingsIn(smallWorld) + rulesIn(smallWorld));
    expect(Object.values(fake.stored).flat()).toEqual(others);
    expect(existsSync(manifest)).toBe(false);
    expect(await remove()).toBe(0);
  });

  test('Nothing is removed if things of others depend on it', async () => {
    const { fake, create, tearDown: remove } = await project();
    await create();
    const [campaign] = fake.stored.campaigns;
    const [rule] = fake.stored.rules;
    const tier = fake.add('tiers', { name: 'of others', campaign_id: campaign?.id });
    const before = fake.changes.length;
    expect(await getFailure(remove())).toContain(`Promotion tier 'of others' (${tier.id}) belongs to somebody else`);
    fake.stored.tiers = fake.stored.tiers.filter(({ id }) => id !== tier.id);
    fake.add('assignments', { rule_id: rule?.id, related_object_id: 'camp_other' });
    expect(await getFailure(remove())).toContain(
      `Validation rule '${rule?.id}' of this script is assigned to 'camp_other'`,
    );
    expect(fake.changes.length).toBe(before);
  });

  test('A campaign of others with the same name is never adopted', async () => {
    const { fake, create, tearDown: remove } = await project();
    const others = fake.add('campaigns', { name: 'conformance summer' });
    for (const _ of ['at first', 'again'])
      expect(await getFailure(create())).toMatch(/returned 409: .*\nThe name is taken by something /);
    await remove();
    expect(Object.values(fake.stored).flat()).toEqual([others]);
  });

  test('An interrupted tear-down removes the rest when it is run again', async () => {
    const { fake, create, tearDown: remove } = await project();
    await create();
    fake.decideOutcome = (_, method, url) => (method === 'DELETE' && url.includes('/products/') ? 'lost' : 'answered');
    expect(await getFailure(remove())).toContain('Run the script again later');
    fake.decideOutcome = () => 'answered';
    expect(await remove()).toBeGreaterThan(0);
    expect(Object.values(fake.stored).flat()).toEqual([]);
    expectWhole(fake, smallWorld, await create());
  });
});

test.describe('Reading back', () => {
  test('Rules that were not assigned with their tiers are assigned', async () => {
    const { fake, create } = await project({ overlooksRules: true });
    expectWhole(fake, smallWorld, await create());
  });

  test('A missing rule, a changed tier, changed metadata and a wrong time are reported', async () => {
    const { fake, create } = await project();
    const ids = await create();
    const tierOf = (name: string) => ids[smallWorld.tiers.find((tier) => tier.name === name)?.id ?? ''];
    const { stored } = fake;
    stored.assignments = stored.assignments.filter(({ related_object_id }) => related_object_id !== tierOf('mug-2'));
    stored.tiers = stored.tiers.map((tier) => {
      if (tier.id === tierOf('credit-card')) return { ...tier, active: false, name: 'Card' };
      if (tier.id === tierOf('boolean-true')) return { ...tier, metadata: { on_sale: 'true' } };
      return tier.id === tierOf('for-ann') ? { ...tier, created_at: new Date(fake.clock.time).toISOString() } : tier;
    });
    const message = await getFailure(create());
    expect(message.split('\n')).toEqual([
      'The tiers differ from what was created:',
      '- for-ann was not created and last changed before greeting.',
      expect.stringMatching(/^- mug-2 has the rules \[\] instead of \[val_\w+\]: it is valid for everybody\.$/),
      "- credit-card is called 'Card'.",
      '- credit-card is not active.',
      '- boolean-true has the metadata [["on_sale","true"]] instead of [["on_sale",true]].',
      expect.stringMatching(/^Run tear-down, then provision again\. /),
    ]);
  });
});

test('A rule that works otherwise is reported; after a change of the script it is updated in place', async () => {
  // A project that ignores $in and joins conditions with 'or'.
  const { fake, create, manifest } = await project({
    storedRules: (rules) => JSON.parse(JSON.stringify(rules).replace('$in', '$contains').replaceAll(' and ', ' or ')),
  });
  const message = await getFailure(create());
  const lines = message.split('\n');
  expect(lines[0]).toBe('The rules of these tiers do not work as intended:');
  expect(lines.slice(1, -1)).toEqual([
    expect.stringMatching(/^- credit-card \(val_\w+\): \{.*"credit-card".*\} returns valid: false$/),
    expect.stringMatching(/^- ann-with-mug-on-broadway \(val_\w+\): .* returns valid: true$/),
  ]);
  expect(lines.at(-1)).toContain(`change createConditions in ${script} and run it again`);

  // Pretend that createConditions changed since then, and that the project works as intended.
  const state: { things: { kind: string; body?: string; checked?: true }[] } = JSON.parse(
    readFileSync(manifest, 'utf8'),
  );
  const unchecked = state.things.filter(({ kind, checked }) => kind === 'rule' && !checked);
  expect(unchecked).toHaveLength(2);
  for (const rule of unchecked) rule.body = 'another';
  writeFileSync(manifest, JSON.stringify(state));
  fake.peculiarities.storedRules = (rules) => rules;
  const before = fake.changes.length;
  await create();
  expect(fake.changes.slice(before)).toEqual([expect.stringMatching(/^PUT /), expect.stringMatching(/^PUT /)]);
});

test.describe('Checks before the creation', () => {
  test('A metadata schema that refuses what the world has is reported', async () => {
    const text = { type: 'string', array: false, optional: true };
    const redemption = { store: text, store_name: { ...text, deleted: true } };
    const { fake, create } = await project({
      metadataSchemas: [
        { related_object: 'redemption', allow_defined_only: true, properties: redemption },
        { related_object: 'customer', allow_defined_only: false, properties: { crm: { ...text, optional: false } } },
        { related_object: 'promotion_tier', properties: { on_sale: text } },
        { related_object: 'order', properties: { payment_mean: text } },
      ],
    });
    const lines = (await getFailure(create())).split('\n');
    for (const flaw of [
      "- redemption: 'store_name' is not defined, but only defined keys are allowed",
      "- customer: 'crm' is required, but the world does not have it",
      "- promotion_tier: 'on_sale' is defined as string, which does not match",
      "- order: 'payment_mean' is defined as string, which does not match",
    ])
      expect(lines).toContain(flaw);
    expect(fake.changes).toEqual([]);
  });

  test('A lost manifest, or one of another project or world, is reported', async () => {
    const { fake, create, setting, manifest } = await project();
    const ids = await create();
    const kept = readFileSync(manifest, 'utf8');
    const before = fake.changes.length;
    writeFileSync(manifest, '{');
    expect(await getFailure(create())).toContain(`'${manifest}' is not a manifest of this script`);
    const otherFile = `${manifest}.other`;
    const without = provision(smallWorld, { ...setting, manifest: otherFile });
    expect(await getFailure(without)).toContain("The project has a category 'conformance ");
    writeFileSync(manifest, kept);
    const other = { ...setting, access: { ...setting.access, id: 'of-another-project' } };
    expect(await getFailure(provision(smallWorld, other))).toContain('belongs to another project');
    const [newest, ...tiers] = smallWorld.tiers;
    expect(await getFailure(create({ ...smallWorld, tiers }))).toContain(
      `The tier '${ids[newest?.id ?? '']}' was created for another world`,
    );
    const late = { ...world, tiers: world.tiers.filter(({ name }) => name === 'mug-3' || few.includes(name)) };
    expect(await getFailure(create(late))).toMatch(/^Tier 'mug-3' must be older than /);
    const reused = provision({ ...smallWorld, existing: { [newest?.id ?? '']: 'promo_by-hand' } }, setting);
    expect(await getFailure(reused)).toContain(
      "The bindings contain 'promo_by-hand', which this script did not create.",
    );
    expect(fake.changes.length).toBe(before);
  });

  test('Wrong keys and unencrypted addresses are rejected', async () => {
    const { url } = await project();
    const keys = { VOUCHERIFY_APP_ID: 'id-for-test', VOUCHERIFY_APP_TOKEN: 'token-for-test' };
    const manifest = path.join(folder, 'none.json');
    const run = async (env: Record<string, string>, args: string[] = []) => {
      const child = spawn(process.execPath, [script, ...args], {
        env: { PATH: process.env.PATH, VOUCHERIFY_MANIFEST: manifest, ...env },
      });
      // The script may end before it has read the world.
      child.stdin.on('error', () => undefined).end(JSON.stringify(smallWorld));
      const [said, status] = await Promise.all([
        textOf(child.stderr),
        new Promise((resolve) => child.on('close', resolve)),
      ]);
      return [status, said];
    };
    expect(
      await Promise.all([
        run({ ...keys, VOUCHERIFY_API: url }),
        run({ ...keys, VOUCHERIFY_API: 'http://api.example.com' }),
      ]),
    ).toEqual([
      [1, expect.stringMatching(/returned 401: .*not \$VOUCHERIFY_APP_TOKEN.*\nCheck that VOUCHERIFY_APP_ID and/s)],
      [1, expect.stringContaining("VOUCHERIFY_API is 'http://api.example.com': keys are sent only")],
    ]);
  });
});
