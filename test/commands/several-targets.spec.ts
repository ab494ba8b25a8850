import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { selectFromSuite } from '../../src/cases/case-selection.js';
import { loadSuite, suiteFolder } from '../../src/cases/suite.js';
import {
  credentialVariables,
  loadCertificate,
  makeTestFolder,
  runConformance,
  runConformanceInProcess,
} from '../support/cli.js';
import { type Answer, certifyOver, channelTo, createBindings, createReference } from '../support/in-process.js';
import { listen } from '../support/independent-deployment.js';

const folder = makeTestFolder();

test("Messages show the target's own ids beside the names", async () => {
  const bindings = createBindings((kind, name) => `its-own-${kind}-${name}-of-mine`);
  const own = selectFromSuite(loadSuite(suiteFolder, { bindings }), { only: ['reserved-for-one-customer'] });
  const violating = createReference({ world: own.world, faults: ['customer-ignored'] });
  const { certificate } = await certifyOver(channelTo(violating), own);
  const reasons = certificate.requirements.flatMap(({ cases }) => cases.map(({ reason }) => reason ?? ''));
  expect(reasons.join('\n')).toMatch(/'for-ann' \(its-own-tier-for-ann-of-mine, rank \d+: is for customer ann /);
});

function targetFile(name: string, text: string): string {
  writeFileSync(path.join(folder, `${name}.yaml`), `name: ${name}\n${text}`);
  return `${name}.yaml`;
}

test('Targets that cannot be told apart are refused before anything is sent', async () => {
  const [one, two] = ['one', 'two'].map((name) => targetFile(name, 'base_url: https://a.test\n')) as [string, string];
  writeFileSync(path.join(folder, 'twin.yaml'), 'name: one\nbase_url: https://b.test\n');
  const both = ['--target', one, '--target', two];
  for (const [args, said] of [
    [['certify', ...both, '--base-url', 'https://c.test'], '--base-url https://c.test: name more than one deployment'],
    [['certify', ...both, '--replay', 'evidence.har'], '--replay: works with a single target only'],
    [['record', ...both, '--to', 'record.yaml'], '--to: works with a single target only'],
    [
      ['certify', ...both, '--reference'],
      '--reference, --target one.yaml, --target two.yaml: name more than one deployment',
    ],
    [['certify', '--target', one, '--target', 'twin.yaml'], 'twin.yaml: has the same name as one.yaml'],
    [['certify', ...both, '--target', 'none.yaml'], 'none.yaml:1:1: cannot be read'],
    [['doctor', ...both], 'name more than one deployment'],
  ] as const) {
    const { status, output } = await runConformanceInProcess(args, { cwd: folder, env: credentialVariables });
    expect([status, output]).toEqual([2, expect.stringContaining(said)]);
  }
  // Said once, though it is so for each.
  const { output } = await runConformanceInProcess(['certify', ...both], { cwd: folder });
  expect(output.match(/CLIENT_TOKEN: is not set/g)).toHaveLength(1);
});

for (const [what, only, status, said] of [
  ['one that fails', 'integer-quantity', 1, /\norder\.quantity\n +live +pass\n +mock +fail: /],
  ['both alike', 'unknown-query-parameter', 0, /^The certificates agree in everything that was compared\.\n$/m],
] as const)
  test(`Targets run one after another, each with its own credentials; then they are compared: ${what}`, {
    tag: status === 0 ? '@long' : [],
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
    const ended = await runConformance(['certify', ...targets, '--only', only, '--out', what], {
      cwd: folder,
      env: { ...credentialVariables, LIVE_TOKEN: 'the-token-of-live' },
    });
    await Promise.all([live.close(), mock.close()]);
    expect([ended.status, ended.output]).toEqual([status, expect.stringMatching(said)]);
    for (const name of ['live', 'mock']) expect(loadCertificate(folder, `${what}/${name}`).target.name).toBe(name);
    expect(sent.filter((each, n) => each !== sent[n - 1])).toEqual([
      'live got the-token-of-live',
      `mock got ${credentialVariables.CLIENT_TOKEN}`,
    ]);
  });
