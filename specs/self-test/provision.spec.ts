import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { createManagedDeployment, emptyWorld } from '../../reference/managed-deployment.js';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { serveReference } from '../../reference/server.js';
import { loadSuite, suiteFolder } from '../../src/cases/suite.js';
import { credentialPlaceholders } from '../../src/contract/operation.js';
import { packageRoot } from '../../src/support/package-root.js';
import { readAvailability } from '../../src/targets/availability.js';
import { openTarget } from '../../src/targets/open-target.js';
import { completeRunOptions } from '../../src/targets/run-options.js';
import { loadTarget } from '../../src/targets/target.js';
import { findThingProblem } from '../../src/world/find-thing-problem.js';
import {
  copyTargets,
  credentialVariables as env,
  makeTestFolder,
  runConformance,
  runConformanceInProcess,
} from './support/cli.js';
import { certifyOver, suite } from './support/in-process.js';
import { documentedRequest } from './support/wire.js';

const folder = makeTestFolder();

test('A deployment with its own ids is provisioned, passes the doctor and conforms', async () => {
  copyTargets(folder);
  const { url, close } = await serveReference({
    world: emptyWorld,
    credentials: referenceCredentials,
    manage: findThingProblem,
  });
  const options = { cwd: folder, env };
  const file = path.join(folder, 'targets', 'reference.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('base_url: http://127.0.0.1:8080', `base_url: ${url}`));
  const target = ['--target', 'targets/reference.yaml'];

  const before = await runConformanceInProcess(['certify', ...target], options);
  expect(before.status).toBe(2);
  expect(before.output).toContain('Create it with: npx conformance provision --target targets/reference.yaml');

  const provisioned = await runConformance(['provision', ...target], options);
  expect(provisioned.output).toMatch(/^targets\/reference\.bindings\.yaml has \d+ ids now\.$/m);
  expect(provisioned.status).toBe(0);

  const again = await runConformanceInProcess(['provision', '--reuse', ...target], options);
  expect([again.status, again.output]).toEqual([0, expect.stringMatching(/ has \d+ ids now\.\n$/)]);

  const diagnosed = await runConformanceInProcess(['doctor', ...target], options);
  expect(diagnosed.output).not.toMatch(/PROBLEM|\?/);
  expect(diagnosed.status).toBe(0);

  const stated = completeRunOptions({ target: path.join(folder, 'targets', 'reference.yaml') }, env);
  const { endpoint = { baseUrl: url, credentials: referenceCredentials }, options: connection } = loadTarget(
    stated,
    env,
  ).connection;
  const client = openTarget({}, endpoint, connection);
  const { certificate } = await certifyOver(client, loadSuite(suiteFolder, readAvailability(stated).availability));
  await client.close();
  await close();
  expect(certificate.verdict).toBe('conforms');
  expect(certificate.questions.filter(({ outcome }) => outcome === null)).toEqual([]);
});

test.describe('The command', () => {
  const kept = 'customers: { ann: before }\n';

  /** Provisions by a program that is given as text; its bindings are there from before. */
  async function provisioned(program: string, more = '', { reuse = false, ids = kept } = {}) {
    const home = mkdtempSync(path.join(folder, 'target-'));
    writeFileSync(path.join(home, 'program.mjs'), program);
    writeFileSync(path.join(home, 'ids.yaml'), ids);
    writeFileSync(
      path.join(home, 'target.yaml'),
      `name: a\nbase_url: http://127.0.0.1:1\nprovision: [node, program.mjs]\nbindings: ids.yaml\n${more}`,
    );
    const args = ['provision', '--target', 'target.yaml', ...(reuse ? ['--reuse'] : [])];
    const ended = await runConformanceInProcess(args, { cwd: home, env });
    return { ...ended, home, bindings: readFileSync(path.join(home, 'ids.yaml'), 'utf8') };
  }

  const createsCustomers = `
    import { json } from 'node:stream/consumers';
    const { customers, existing = {} } = await json(process.stdin);
    const rest = customers.filter(({ id }) => existing[id] === undefined);
    console.log(JSON.stringify(Object.fromEntries(rest.map(({ id, name }) => [id, 'new-' + name]))));`;
  const bad: Readonly<Record<string, readonly [program: string, message: string]>> = {
    'ends with a failure': ['process.stdout.write("{}"); process.exitCode = 3;', 'ended with status 3'],
    'is killed': ['process.kill(process.pid, "SIGKILL")', 'ended with SIGKILL'],
    'prints no JSON': ['console.log("done")', 'did not print valid ids'],
    'prints no ids': ['console.log("{}")', 'did not print valid ids'],
    'prints an id that is none': ['console.log(\'{"x":null}\')', 'did not print valid ids'],
    'prints a number that JSON cannot hold': ['console.log(\'{"x":12345678901234567890}\')', 'did not print valid ids'],
    'prints one id for two things': [
      createsCustomers.replace("'new-' + name", "'x'"),
      "printed 'x' for customer ordinary and for customer ann",
    ],
    'prints an id of another world': ['console.log(\'{"x":"y"}\')', "printed 'x', which is not an id of the world"],
    'prints a credential in place of a world id': [
      "console.log(JSON.stringify({ [process.env.CLIENT_TOKEN]: 'x' }))",
      'printed an id that contains a credential',
    ],
    'prints a credential': [
      createsCustomers.replace("'new-' + name", "'id-' + process.env.CLIENT_TOKEN.toUpperCase()"),
      'printed an id that contains a credential',
    ],
  };
  for (const [what, [program, message]] of Object.entries(bad)) {
    test(`A command that ${what} does not change the bindings`, async () => {
      const { status, output, bindings, home } = await provisioned(program);
      expect(output).toContain(`target.yaml:3:12: the command ${message}`);
      expect(output.toLowerCase()).not.toContain(env.CLIENT_TOKEN);
      expect(status).toBe(2);
      expect(bindings).toBe(kept);
      expect(readdirSync(home).sort()).toEqual(['ids.yaml', 'program.mjs', 'target.yaml']);
    });
  }

  test('A second run creates everything again; --reuse keeps existing ids', async () => {
    const anew = await provisioned(createsCustomers);
    expect(parse(anew.bindings).customers).toMatchObject({ ann: 'new-ann', ben: 'new-ben' });
    const reused = await provisioned(createsCustomers, '', { reuse: true });
    expect(reused.status).toBe(0);
    expect(parse(reused.bindings).customers).toMatchObject({ ann: 'before', ben: 'new-ben' });
  });

  test('The command does not run if a tier would be created too late', async () => {
    const ids = `tiers: { ${suite.world.tiers[0]?.name}: before }\n`;
    const { status, output, bindings } = await provisioned(createsCustomers, '', { reuse: true, ids });
    expect([status, output]).toEqual([2, expect.stringContaining('created now, it would be the newest')]);
    expect(bindings).toBe(ids);
  });

  test('Messages of the command are shown without credentials', async () => {
    const { output } = await provisioned(
      "process.stderr.write('::error::' + process.env.CLIENT_TOKEN + '\\u001b[2J\\n'); process.exitCode = 1;",
    );
    expect(output).toContain('| ::error::$CLIENT_TOKEN\\u001b[2J\n');
    expect(output).not.toContain(env.CLIENT_TOKEN);
  });

  test('A target file without a command, or without a base URL, is rejected', async () => {
    const provision = (file: string) => runConformanceInProcess(['provision', '--target', file], { cwd: folder, env });
    const { output } = await provision(path.join(packageRoot, 'targets', 'example.yaml'));
    expect(output).toContain('the deployment cannot be provisioned without');
    writeFileSync(path.join(folder, 'bare.yaml'), 'name: a\nprovision: [node, x.mjs]\nbindings: ids.yaml\n');
    const bare = await provision('bare.yaml');
    expect([bare.status, bare.output]).toEqual([2, expect.stringContaining('bare.yaml:1:1: has no base_url')]);
  });

  test('The command gets address, credentials and the supported world; things without an id are listed', async () => {
    const program = `
      import { json } from 'node:stream/consumers';
      import { writeFileSync } from 'node:fs';
      const world = await json(process.stdin);
      const { BASE_URL, CLIENT_TOKEN } = process.env;
      writeFileSync('seen.json', JSON.stringify({ BASE_URL, CLIENT_TOKEN, tiers: world.tiers.length }));
      console.log(JSON.stringify(Object.fromEntries(world.customers.slice(1).map(({ id }, n) => [id, n + 1]))));`;
    const { status, output, bindings, home } = await provisioned(program, 'capabilities: [customer]');
    expect(status).toBe(0);
    expect(output).toContain('ids.yaml has 4 ids now.');
    expect(output).toContain('Without an id: customer ordinary, product mug');
    expect(parse(bindings).customers).toEqual({ ann: '1', ben: '2', cleo: '3', bulk: '4' });
    const possible = suite.world.tiers.filter(({ rules }) => rules.every(({ kind }) => kind === 'customer'));
    expect(JSON.parse(readFileSync(path.join(home, 'seen.json'), 'utf8'))).toEqual({
      BASE_URL: 'http://127.0.0.1:1',
      CLIENT_TOKEN: env.CLIENT_TOKEN,
      tiers: possible.length,
    });
  });
});

test('The management API rejects invalid and incomplete data, which changes nothing, and generates its own ids', () => {
  const { world } = suite;
  const { ids } = world;
  const deployment = createManagedDeployment({ world, credentials: credentialPlaceholders }, findThingProblem);
  const { headers } = documentedRequest;
  const post = (list: string, thing: unknown, method = 'POST', own = headers) =>
    deployment({ method, path: `/manage/${list}`, headers: own, body: JSON.stringify(thing) });
  const before = deployment(documentedRequest);
  expect(post('customers', {}, 'POST', []).status).toBe(401);
  expect(post('customer', {}).status).toBe(404);
  expect(post('customers', {}, 'PUT').status).toBe(405);
  const tier = { campaign_id: ids.campaign.get('spring'), name: 'A tier', metadata: {}, rules: [] };
  const notWhole: readonly (readonly [list: string, thing: unknown])[] = [
    ['customers', undefined],
    ['customers', []],
    ['tiers', {}],
    ['tiers', { ...tier, rules: [null] }],
    ['tiers', { ...tier, rules: [{}] }],
    ['tiers', { ...tier, rules: [{ kind: 'customer', any_of: ids.customer.get('ann') }] }],
    ['tiers', { ...tier, rules: [{ kind: 'product', id: ids.product.get('mug'), at_least: '1' }] }],
    ['tiers', { ...tier, rules: [{ kind: 'product', id: 'prod_none', at_least: 1 }] }],
    ['tiers', { ...tier, rules: {} }],
    ['tiers', { ...tier, metadata: { a: null } }],
    ['tiers', { ...tier, metadata: [] }],
    ['tiers', { ...tier, campaign_id: 'camp_none' }],
    ['tiers', { ...tier, name: 1 }],
    ['tiers', { ...tier, more: 1 }],
    ['campaigns', { name: 'A', category_ids: null }],
    ['campaigns', { name: 'A', category_ids: ['cat_none'] }],
    ['categories', {}],
    ['skus', { product_id: 1 }],
    ['skus', { product_id: 'none' }],
    ['customers', { first_name: 'Ann' }],
  ];
  for (const [list, thing] of notWhole) {
    const { status, body } = post(list, thing);
    expect([status, Object.keys(JSON.parse(body))], JSON.stringify(thing)).toEqual([400, ['error']]);
  }
  expect(deployment(documentedRequest)).toEqual(before);
  expect(post('tiers', { ...tier, rules: [{ kind: 'metadata', key: 'a', is: 'b' }] }).status).toBe(201);
  const { status, body } = post('tiers', { ...tier, id: 'mine' });
  expect(status).toBe(201);
  expect(JSON.parse(body).id).not.toBe('mine');
  expect(JSON.parse(deployment(documentedRequest).body).promotions[0].id).toBe(JSON.parse(body).id);
});

test('world --format markdown lists every id, and rules in words', async () => {
  const { output: text } = await runConformanceInProcess(['world', '--format', 'markdown'], { cwd: folder });
  for (const ids of Object.values(suite.world.ids)) for (const id of ids.values()) expect(text).toContain(`\`${id}\``);
  expect(text).toMatch(
    /^\| 9 \| mug-3 \| `promo_\w+` \| spring \| [^|]*\| an order item has product mug, quantity 3 or more \|/m,
  );
});
