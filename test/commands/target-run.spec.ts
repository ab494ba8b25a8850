/** Runs on targets with ids of their own, and on several targets. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { stringify } from 'yaml';
import { referenceCredentials } from '../../reference/deployment/reference-credentials.js';
import { type EntityKind, entityKinds } from '../../src/contract/world.js';
import { selectFromSuite } from '../../src/suite/case-selection.js';
import { loadSuite, packageCasesFolder, type Suite } from '../../src/suite/suite.js';
import {
  credentialVariables,
  loadCertificate,
  makeTestFolder,
  runConformance,
  runConformanceInProcess,
} from '../support/cli.js';
import {
  type Answer,
  certifyInProcess,
  certifyOver,
  channelTo,
  createBindings,
  createReference,
  listRequirementsWith,
  suite,
} from '../support/in-process.js';
import { createIndependentDeployment, listen, type ShapeName } from '../support/independent-deployment.js';

const folder = makeTestFolder();

const environment = { CLIENT_APPLICATION_ID: 'the-application', CLIENT_TOKEN: 'the-token' };

function written(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

type IdOf = (kind: EntityKind, name: string, n: number) => string;

/** The requirement cases as they are for a deployment that has such ids. */
function boundTo(idOf: IdOf): Suite {
  const bound = loadSuite(packageCasesFolder, { bindings: createBindings(idOf) });
  return { ...bound, cases: bound.cases.filter(({ kind }) => kind === 'requirement') };
}

const slugs: IdOf = (kind, name) => `${kind}-${name}`;

const inValues = ['wrapped', 'keyed-by-id'] as const;
/** Ids, and the shapes in which they can be found amid other text; elsewhere nothing may fail. */
const idKinds: readonly (readonly [what: string, IdOf, found: readonly ShapeName[], unfound?: ShapeName])[] = [
  ['numbers, counted for each kind', (_kind, _name, n) => String(n + 1), inValues, 'in-urls'],
  ['slugs that stand in each other', slugs, inValues, 'in-urls'],
  ['with signs that a URL encodes', (kind, name) => `${kind} ½/${name} & 100 %+`, [...inValues, 'in-urls']],
];
for (const [what, idOf, found, unfound] of idKinds)
  test(`Ids that are ${what} conform, or are incomplete if they are short and inside of texts`, {
    tag: idOf === slugs ? [] : '@long',
  }, async () => {
    const bound = boundTo(idOf);
    const certified = async (shape: ShapeName) =>
      (await certifyInProcess(createIndependentDeployment(bound.world, { shape }), { suite: bound })).certificate;
    for (const shape of found) expect((await certified(shape)).summary, shape).toEqual({ pass: 17 });
    if (unfound === undefined) return;
    const certificate = await certified(unfound);
    expect(listRequirementsWith('fail', certificate)).toEqual([]);
    expect(certificate.verdict).toBe('incomplete');
    expect(certificate.incomplete_because?.join()).toContain('fewer than 12 characters');
  });

test('Replay and verify repeat the verdicts of a target with ids and headers of its own', {
  tag: '@long',
}, async () => {
  const { url, close } = await listen(createIndependentDeployment(boundTo(slugs).world));
  const bindings = entityKinds.flatMap((kind) =>
    [...suite.world.ids[kind]].map(([name, worldId]) => [worldId, `${kind}-${name}`]),
  );
  written('ids.yaml', stringify(Object.fromEntries(bindings)));
  const stated = { name: 'elsewhere', version: '3', base_url: url };
  const how = { headers: { 'X-Api-Key': '$GATEWAY_KEY' }, bindings: 'ids.yaml', intrusive: false };
  const file = written('elsewhere.yaml', stringify({ ...stated, ...how }));
  const env = { ...environment, GATEWAY_KEY: 'the-key-of-the-gateway' };
  const only = ['--', '--grep', '@request.get-with-body|@limit.newest-150'];
  const certify = (...args: string[]) => runConformance(['certify', ...args, ...only], { cwd: folder, env });
  expect((await certify('--target', file, '--out', 'out')).status).toBe(0);
  await close();
  const { target, summary, requirements, notes } = loadCertificate(folder, 'out');
  expect([target, summary]).toEqual([
    { ...stated, file: 'elsewhere.yaml' },
    { pass: 2, 'not-run': 15 },
  ]);
  // Nobody is there any more, and nothing of the target is known but what was kept.
  const selected = ['--only', 'request.get-with-body,limit.newest-150'];
  const again = ['certify', '--replay', 'out/evidence.har', '--out', 'again', ...selected];
  expect((await runConformance(again, { cwd: folder })).status).toBe(0);
  const replayed = ['Nothing was sent: this is the verdict on the exchanges of an earlier run.', ...notes];
  expect(loadCertificate(folder, 'again')).toMatchObject({ requirements, notes: replayed });
  for (const run of ['out', 'again'])
    expect((await runConformanceInProcess(['verify', run], { cwd: folder })).output).toMatch(/^AGREES /);
});

test('--dry-run counts the requests that a run sends', async () => {
  const plan = await runConformanceInProcess(['certify', '--dry-run'], { cwd: folder });
  const { certificate } = await certifyInProcess(createIndependentDeployment(suite.world));
  const [, planned] = /(\d+) requests/.exec(plan.output) ?? [];
  expect(certificate.requests_sent).toBe(Number(planned));
});

test("Messages show the target's own ids beside the names", async () => {
  const bindings = createBindings((kind, name) => `its-own-${kind}-${name}-of-mine`);
  const bound = selectFromSuite(loadSuite(packageCasesFolder, { bindings }), { only: ['reserved-for-one-customer'] });
  const violating = createReference({ world: bound.world, faults: ['customer-ignored'] });
  const { certificate } = await certifyOver(channelTo(violating), bound);
  const reasons = certificate.requirements.flatMap(({ cases }) => cases.map(({ reason }) => reason ?? ''));
  expect(reasons.join('\n')).toMatch(/'for-ann' \(its-own-tier-for-ann-of-mine, rank \d+: is for customer ann /);
});

function targetFile(name: string, text: string): string {
  writeFileSync(path.join(folder, `${name}.yaml`), `name: ${name}\n${text}`);
  return `${name}.yaml`;
}

test('Targets that cannot be told apart are refused before anything is sent', async () => {
  const [firstFile, secondFile] = ['one', 'two'].map((name) => targetFile(name, 'base_url: https://a.test\n')) as [
    string,
    string,
  ];
  writeFileSync(path.join(folder, 'twin.yaml'), 'name: one\nbase_url: https://b.test\n');
  const both = ['--target', firstFile, '--target', secondFile];
  for (const [args, said] of [
    [['certify', ...both, '--base-url', 'https://c.test'], '--base-url: works with a single target only'],
    [['certify', ...both, '--replay', 'evidence.har'], "option '--replay <file>' cannot be used with option '--target"],
    [['record', ...both, '--to', 'record.yaml'], '--to: works with a single target only'],
    [['certify', ...both, '--reference'], "option '--reference' cannot be used with option '--target <file>'"],
    [['certify', '--target', firstFile, '--target', 'twin.yaml'], 'twin.yaml: has the same name as one.yaml'],
    [['certify', ...both, '--target', 'none.yaml'], 'none.yaml:1:1: '],
  ] as const) {
    const { status, output } = await runConformanceInProcess(args, { cwd: folder, env: credentialVariables });
    expect([status, output]).toEqual([2, expect.stringContaining(said)]);
  }
  // Said once, though it is so for each.
  const { output } = await runConformanceInProcess(['certify', ...both], { cwd: folder });
  expect(output.match(/^CLIENT_TOKEN: /gm)).toHaveLength(1);
});

test('Targets run one after another, each with its own credentials; then they are compared', {
  tag: '@long',
}, async () => {
  const sent: string[] = [];
  const serve = (name: string, respond: Answer) =>
    listen((request) => {
      const [, token = ''] = request.headers.find(([header]) => header.toLowerCase() === 'x-client-token') ?? [];
      sent.push(`${name} got ${token}`);
      return respond(request);
    });
  const [live, mock] = await Promise.all([
    serve('live', createReference({ credentials: { ...referenceCredentials, token: 'the-token-of-live' } })),
    serve('mock', createReference({ credentials: referenceCredentials, faults: ['quantity-ignored'] })),
  ]);
  const files = [
    targetFile('live', `base_url: ${live.url}\ncredentials: { token: $LIVE_TOKEN }\n`),
    targetFile('mock', `base_url: ${mock.url}\n`),
  ];
  const targets = files.flatMap((file) => ['--target', file]);
  const ended = await runConformance(['certify', ...targets, '--only', 'integer-quantity', '--out', 'both'], {
    cwd: folder,
    env: { ...credentialVariables, LIVE_TOKEN: 'the-token-of-live' },
  });
  await Promise.all([live.close(), mock.close()]);
  const comparison = /\norder\.quantity\n +live +pass\n +mock +fail: /;
  expect([ended.status, ended.output]).toEqual([1, expect.stringMatching(comparison)]);
  for (const name of ['live', 'mock']) expect(loadCertificate(folder, `both/${name}`).target.name).toBe(name);
  expect(sent.filter((line, n) => line !== sent[n - 1])).toEqual([
    'live got the-token-of-live',
    `mock got ${credentialVariables.CLIENT_TOKEN}`,
  ]);
});
