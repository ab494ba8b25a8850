import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { readCaseFile } from '../../src/cases/case-file.js';
import { selectFromSuite } from '../../src/cases/case-selection.js';
import { loadSuite, type Suite, suiteFolder } from '../../src/cases/suite.js';
import { readCertificate } from '../../src/certificate/verify-certificate.js';
import { determineExitStatus } from '../../src/cli/exit-status.js';
import { windowSize } from '../../src/contract/world.js';
import { expandWorld } from '../../src/contract/world-file.js';
import { writeResults } from '../../src/outputs/write-results.js';
import { readRecord } from '../../src/record/target-record.js';
import { packageRoot } from '../../src/support/package-root.js';
import { UnusableInput } from '../../src/support/problem.js';
import { parseYaml, readYaml } from '../../src/support/yaml-file.js';
import { credentialVariables, makeTestFolder, runConformance, runConformanceInProcess } from '../support/cli.js';
import { certifyInProcess, certifyOver, channelTo, createReference, suite } from '../support/in-process.js';
import { createIndependentDeployment, listen } from '../support/independent-deployment.js';
import { listProblems } from '../support/marked.js';

const folder = makeTestFolder();

const mine = path.join(folder, 'mine');

/** Cases of a user with a world of their own. */
const ownCases = path.join(packageRoot, 'test', 'support', 'own-cases');
const [additions, cases] = ['world.yaml', 'deeper/tea.yaml'].map((name) =>
  readFileSync(path.join(ownCases, name), 'utf8'),
) as [string, string];
test.beforeAll(() => cpSync(ownCases, mine, { recursive: true }));

let loaded: Suite | undefined;
const withOwn = () => {
  loaded ??= loadSuite(suiteFolder, {}, mine);
  return loaded;
};

/** The own cases, and similar cases of the suite. */
function someOf(whole = withOwn()) {
  const ids = ['integer-quantity', 'unknown-query-parameter', 'own-tea-for-two', 'own-unknown-query-parameter'];
  return selectFromSuite(whole, { only: ids });
}

test('Own tiers replace spare tiers of the newest 150: all other tiers keep rank, time and id', () => {
  const { world } = withOwn();
  const added = world.tiers.filter(({ name }) => name.startsWith('own-'));
  expect(added.map(({ name }) => name)).toEqual(['own-tea-time', 'own-for-zoe-1', 'own-for-zoe-2']);
  expect(world.tiers).toHaveLength(suite.world.tiers.length);
  const replaced = world.tiers.flatMap((tier, n) => {
    const before = suite.world.tiers[n];
    expect(tier.created_at).toBe(before?.created_at);
    if (tier.name.startsWith('own-')) {
      expect(n).toBeLessThan(windowSize);
      return [before?.name];
    }
    expect(tier).toEqual(before);
    return [];
  });
  expect(replaced).toEqual(['stall-9', 'stall-10', 'stall-11']);
  expect(world.ids.tier.has('stall-11')).toBe(false);
  const others = withOwn().cases.filter(({ id }) => !id.startsWith('own-'));
  expect(others.map(({ id }) => id)).toEqual(suite.cases.map(({ id }) => id));
});

test('Own cases pass on a deployment with their data, and change nothing else in the certificate', async () => {
  const whole = withOwn();
  const deployment = createReference({ world: whole.world });
  const { certificate } = await certifyOver(channelTo(deployment), whole);
  const without = await certifyInProcess(createReference());
  expect(certificate.own_cases).toMatchObject({
    folder: mine,
    verdict: 'conforms',
    cases: [
      { id: 'own-tea-for-two', subject: 'order.quantity', verdict: 'pass' },
      { id: 'own-unknown-query-parameter', subject: 'unknown-query-parameter', outcome: 'ignored' },
    ],
  });
  for (const part of ['verdict', 'summary', 'requirements', 'questions', 'suite', 'drift'] as const)
    expect(certificate[part], part).toEqual(without.certificate[part]);
  expect(determineExitStatus(certificate)).toBe(0);
});

test('A failing own case is reported apart, with its location: it changes the exit status, not the verdict', async () => {
  const deployment = createReference();
  const some = someOf();
  // It has the world of the suite, but not the data of the own cases: by itself, that proves nothing.
  const doubted = await certifyOver(channelTo(deployment), some);
  expect(doubted.certificate.own_cases?.cases[0]).toMatchObject({
    id: 'own-tea-for-two',
    verdict: 'inconclusive',
    reason: expect.stringContaining('names a promotion of your own test data'),
  });
  const { certificate, results } = await certifyOver(channelTo(deployment), some, {
    isWorldLoaded: true,
    expected: {
      outcomes: { 'unknown-query-parameter': { outcome: 'ignored', statedBy: 'the record' } },
    },
  });
  const requirement = certificate.requirements.find(({ id }) => id === 'order.quantity');
  expect(requirement).toMatchObject({ verdict: 'pass', cases: [{ id: 'integer-quantity' }] });
  const [failed, answered] = certificate.own_cases?.cases ?? [];
  expect(failed).toMatchObject({ id: 'own-tea-for-two', verdict: 'fail', received: expect.any(String) });
  expect(failed?.at).toMatch(/mine\/deeper\/tea\.yaml:14:\d+$/);
  // The suite's case answers the question. The own case causes no drift.
  expect(answered).toMatchObject({ outcome: 'nothing-returned' });
  expect(certificate.questions.find(({ id }) => id === 'unknown-query-parameter')?.outcome).toBe('ignored');
  expect(certificate.drift).toEqual([]);
  expect(certificate.notes.join('\n')).toContain('fail  own-tea-for-two (');
  const { selected: _, ...whole } = certificate;
  for (const verdict of ['conforms', 'incomplete'] as const)
    expect(determineExitStatus({ ...whole, verdict }), verdict).toBe(1);

  const [out, recordTo] = [path.join(folder, 'out'), path.join(folder, 'record.yaml')];
  const written = writeResults(certificate, some, results, { out, recordTo });
  expect(readCertificate(written.certificate).own_cases).toEqual(certificate.own_cases);
  expect(readRecord(recordTo).questions['unknown-query-parameter']?.outcome).toBe('ignored');
  expect(readFileSync(path.join(path.dirname(written.certificate), 'observed.md'), 'utf8')).not.toContain(
    'nothing-returned',
  );
});

test.describe('Mistakes are reported with their location:', () => {
  const messageOf = (load: () => unknown) => new UnusableInput(listProblems(load)).message;

  test('in the cases', () => {
    for (const [change, by, said] of [
      [
        'own-tea-for',
        'tea-for',
        "tea.yaml:9:9: the id 'tea-for-two' does not begin with 'own-'\n    Use 'own-tea-for-two'.",
      ],
      ['order.quantity', 'order.quantiy', "tea.yaml:10:15: unknown requirement 'order.quantiy'"],
      ['    request: {}', '    tags: [sample]\n    request: {}', "tea.yaml:12:12: the tag 'sample'"],
      // The tier is reserved for another customer.
      ['own-for-zoe-2]', 'for-ann]', 'tea.yaml:14:'],
      ['customer own-zoe', 'customer own-zeo', "tea.yaml:4:21: unknown customer 'own-zeo'"],
    ] as const) {
      const { problems } = readCaseFile(parseYaml(cases.replace(change, by), 'tea.yaml'), withOwn(), 'own-');
      expect(new UnusableInput(problems).message).toContain(said);
    }
  });

  test('in additions to the world', () => {
    const world = readYaml(path.join(suiteFolder, 'world.yaml'));
    const tier = (name: string, customers: string, campaign = 'spring') =>
      `customers: [own-zoe]\ntiers:\n  - { name: ${name}, campaign: ${campaign}, rules: [${customers}] }\n`;
    const ofZoe = '{ customer: [own-zoe] }';
    const unrestricted = "w.yaml:3:13: tier 'own-x' is not restricted to your own customers";
    for (const [text, said] of [
      ['customers: [zoe]\n', "w.yaml:1:13: 'zoe' does not match"],
      [tier('own-x', '{ metadata: store_name, is: Broadway }'), unrestricted],
      [tier('own-x', '{ customer: [own-zoe, ann] }'), unrestricted],
      [tier('own-x', ofZoe, 'sprung'), "w.yaml:3:30: there is no campaign 'sprung'\n    Did you mean 'spring'?"],
      [tier('"own-{n}", repeat: 11', ofZoe), 'w.yaml:3:3: there are 11 tiers\n    At most 10 are possible'],
    ] as const)
      expect(messageOf(() => expandWorld(world, parseYaml(text, 'w.yaml')))).toContain(said);
  });

  test('in the folder, whose files are named as the user does', () => {
    const wrong = path.join(folder, 'wrong');
    mkdirSync(wrong);
    expect(messageOf(() => loadSuite(suiteFolder, {}, wrong))).toContain('wrong: the folder has no case file');
    expect(messageOf(() => loadSuite(suiteFolder, {}, path.join(folder, 'none')))).toContain('none: cannot be read');
    for (const name of ['a', 'b']) writeFileSync(path.join(wrong, `${name}.yaml`), cases);
    writeFileSync(path.join(wrong, 'world.yaml'), additions);
    const relative = path.relative(process.cwd(), wrong);
    expect(messageOf(() => loadSuite(suiteFolder, {}, wrong))).toContain(
      `${relative}/b.yaml:9:5: duplicate case id 'own-tea-for-two'`,
    );
  });
});

test('world, explain and --dry-run know own cases', async () => {
  const printed = async (...args: readonly string[]) =>
    (await runConformanceInProcess([...args, '--cases', 'mine'], { cwd: folder })).output;
  const world = JSON.parse(await printed('world')) as { tiers: { name: string }[] };
  expect(world.tiers.map(({ name }) => name)).toContain('own-tea-time');
  expect(await printed('explain', 'own-tea-for-two')).toContain('mine/deeper/tea.yaml:9:5');
  expect(await printed('certify', '--dry-run', '--only', 'own')).toMatch(
    /^own-tea-for-two .*\n(.+\n)*own-unknown-query-parameter (.*\n)*\n2 of 2 cases/m,
  );
});

test('@long certify --cases shows a failure on its line, and ends with 1 although the target conforms', async () => {
  const { url, close } = await listen(createIndependentDeployment(suite.world));
  writeFileSync(path.join(folder, 'target.yaml'), `name: tea-shop\nbase_url: ${url}\nworld: loaded\n`);
  // The reporter of Playwright shows the line.
  const command = ['certify', '--target', 'target.yaml', '--cases', 'mine', '--', '--reporter=line'];
  const { status, output } = await runConformance(command, { cwd: folder, env: credentialVariables });
  await close();
  expect(output).toContain('> 14 |       - returned: { include: [own-tea-time');
  expect(output).toMatch(/fail .*own-tea-for-two .*mine\/deeper\/tea\.yaml:14:21/);
  expect(output).toContain('Own cases, which do not change the verdict: mine, 1 fail, 1 pass.');
  const { verdict, own_cases } = readCertificate(path.join(folder, 'results/tea-shop/certificate.json'));
  expect([status, verdict, own_cases?.verdict]).toEqual([1, 'conforms', 'does-not-conform']);
  const verify = (...args: readonly string[]) =>
    runConformanceInProcess(['verify', 'results/tea-shop', ...args], { cwd: folder });
  for (const args of [[], ['--cases', 'mine']])
    expect(await verify(...args)).toMatchObject({ status: 0, output: expect.stringMatching(/^AGREES/) });
  const otherCases = path.join(folder, 'other');
  mkdirSync(otherCases);
  writeFileSync(path.join(otherCases, 'world.yaml'), additions);
  writeFileSync(path.join(otherCases, 'tea.yaml'), cases.replace('Two teapots', 'Three teapots'));
  expect((await verify('--cases', 'other')).output).toContain('own_cases/digest: the certificate says');
});
