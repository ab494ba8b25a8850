import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { readCaseFile } from '../../src/cases/case-file.js';
import { readNamedRequests } from '../../src/cases/named-requests.js';
import { readCertificate } from '../../src/certificate/find-certificate-mismatches.js';
import { determineExitStatusOfCertificate, exitStatus } from '../../src/cli/exit-status.js';
import type { KnownFailureTest } from '../../src/judge/judgement.js';
import { writeResults } from '../../src/outputs/write-results.js';
import { createBaseline } from '../../src/record/drift.js';
import { readRecord } from '../../src/record/target-record.js';
import type { StartRunOptions } from '../../src/run/run.js';
import { selectFromSuite } from '../../src/suite/case-selection.js';
import { loadSuite, packageCasesFolder, type Suite } from '../../src/suite/suite.js';
import { packageRoot } from '../../src/support/package-root.js';
import { UnusableInput } from '../../src/support/problem.js';
import { parseYaml } from '../../src/support/yaml-file.js';
import type { Answer } from '../../tools/proof/judge-deployment.js';
import { credentialVariables, makeTestFolder, runConformance, runConformanceInProcess } from '../support/cli.js';
import { certifyInProcess, certifyOver, channelTo, createReference, suite } from '../support/in-process.js';
import { createIndependentDeployment, listen } from '../support/independent-deployment.js';
import { listProblems } from '../support/marked.js';

const folder = makeTestFolder();

const mine = path.join(folder, 'mine');

const ownCases = path.join(packageRoot, 'test', 'support', 'own-cases');
const cases = readFileSync(path.join(ownCases, 'deeper/mugs.yaml'), 'utf8');
const requests = readFileSync(path.join(ownCases, 'requests.yaml'), 'utf8');
test.beforeAll(() => cpSync(ownCases, mine, { recursive: true }));

let loaded: Suite | undefined;
const withOwn = () => {
  loaded ??= loadSuite(packageCasesFolder, {}, mine);
  return loaded;
};

/** A deployment that takes seven for one: only own cases order seven. */
const miscount =
  (answer: Answer): Answer =>
  ({ body = '', ...request }) =>
    answer({ ...request, body: body.replace('"quantity":7', '"quantity":1') });

/** The own cases, and similar cases of the suite. */
function someOf(whole = withOwn()) {
  const ids = ['integer-quantity', 'unknown-query-parameter', 'own-seven-mugs', 'own-unknown-query-parameter'];
  return selectFromSuite(whole, { only: ids });
}

test('Own cases pass on a deployment with their data, and change nothing else in the certificate', async () => {
  const whole = withOwn();
  const { certificate } = await certifyOver(channelTo(createReference()), whole);
  const without = await certifyInProcess(createReference());
  expect(certificate.own_cases).toMatchObject({
    folder: mine,
    verdict: 'conforms',
    cases: [
      { id: 'own-seven-mugs', subject: 'order.quantity', verdict: 'pass' },
      { id: 'own-unknown-query-parameter', subject: 'unknown-query-parameter', outcome: 'ignored' },
    ],
  });
  expect(certificate.notes).toContainEqual(expect.stringMatching(/^own-unknown-query-parameter: .+\. \(ignored\)$/));
  for (const part of ['verdict', 'summary', 'requirements', 'questions', 'suite', 'drift'] as const)
    expect(certificate[part], part).toEqual(without.certificate[part]);
  expect(determineExitStatusOfCertificate(certificate)).toBe(0);
});

test('A known deviation may name a row of an own case', async () => {
  const selected = { ...someOf(), cases: someOf().cases.filter(({ kind }) => kind === 'requirement') };
  const isFailureKnown: KnownFailureTest = ({ case: id }) => id === 'own-seven-mugs';
  const certify = async (options: StartRunOptions) =>
    (await certifyOver(channelTo(miscount(createReference())), selected, options)).certificate;
  const known = await certify({ isFailureKnown });
  expect(known.own_cases).toMatchObject({ verdict: 'does-not-conform', apart_from_known: 'conforms' });
  expect(known.notes).toContainEqual(expect.stringMatching(/^fail, as known {2}own-seven-mugs/));
  expect(determineExitStatusOfCertificate({ ...known, verdict: 'conforms' })).toBe(exitStatus.conforms);
  const unknown = await certify({});
  expect(unknown.own_cases).not.toHaveProperty('apart_from_known');
  expect(determineExitStatusOfCertificate({ ...unknown, verdict: 'conforms' })).toBe(exitStatus['does-not-conform']);
});

test('A pin and a record are about the cases of the suite, not about own cases', async () => {
  const pinned = createBaseline(undefined, { 'unknown-query-parameter': 'rejected' });
  const ids = ['unknown-query-parameter', 'own-unknown-query-parameter'];
  const selected = selectFromSuite(withOwn(), { only: ids });
  const { results } = await certifyOver(channelTo(createReference()), selected, { expected: pinned });
  expect(results.map(({ id, drift }) => [id, drift.length])).toEqual([
    ['unknown-query-parameter', 1],
    ['own-unknown-query-parameter', 0],
  ]);
});

test('With a data file, own cases name its ids, and start from its first customer and product', async () => {
  const files = path.join(folder, 'on-data');
  const file = path.join(folder, 'shop.json');
  const [everyone, broadway] = ['promo_everyone', 'promo_broadway'];
  const common = { campaign_id: 'camp_spring', metadata: {} };
  const tiers = [
    { ...common, id: everyone, name: 'all', created_at: '2025-05-01T12:00:00.000Z', rules: [] },
    {
      ...common,
      id: broadway,
      name: 'B',
      created_at: '2025-04-01T12:00:00.000Z',
      rules: [{ kind: 'metadata', key: 'store', is: 'B' }],
    },
  ];
  const campaigns = [{ id: 'camp_spring', name: 'spring', category_ids: [] }];
  const things = { customers: [{ id: 'cust_a' }], products: [{ id: 'prod_a' }], skus: [], categories: [] };
  writeFileSync(file, JSON.stringify({ ...things, campaigns, tiers }));
  mkdirSync(files);
  const writeCase = (expected: string) =>
    writeFileSync(
      path.join(files, 'store.yaml'),
      `cases:\n  - { id: own-store, verifies: metadata.promotion-rules, title: A store, request: { from: first-customer-with-first-product, body: { metadata: { store: B } } }, expect: { request: { returned: ${expected} } } }\n`,
    );
  writeCase(`{ include: [${everyone}, ${broadway}] }`);
  const whole = loadSuite(packageCasesFolder, { data: { file } }, files);
  const judge = async (world: Suite['world']) =>
    (await certifyOver(channelTo(createReference({ world })), whole)).certificate.own_cases?.verdict;
  expect(await judge(whole.world)).toBe('conforms');
  expect(await judge({ ...whole.world, tiers: whole.world.tiers.slice(0, 1) })).toBe('does-not-conform');
  writeCase('{ include: broadway }');
  expect(listProblems(() => loadSuite(packageCasesFolder, { data: { file } }, files))[0]?.message).toContain(
    "'broadway'",
  );
});

test('A failing own case is reported apart, with its location: it changes the exit status, not the verdict', async () => {
  const some = someOf();
  const run = await certifyInProcess(miscount(createReference()), {
    suite: some,
    expected: {
      outcomes: { 'unknown-query-parameter': { outcome: 'ignored', statedBy: 'the record' } },
    },
  });
  const { certificate } = run;
  const requirement = certificate.requirements.find(({ id }) => id === 'order.quantity');
  expect(requirement).toMatchObject({ verdict: 'pass', cases: [{ id: 'integer-quantity' }] });
  const [failed, answered] = certificate.own_cases?.cases ?? [];
  expect(failed).toMatchObject({ id: 'own-seven-mugs', verdict: 'fail', received: expect.any(String) });
  expect(failed?.at).toMatch(/mine\/deeper\/mugs\.yaml:8:\d+$/);
  // The suite's case answers the question. The own case causes no drift.
  expect(answered).toMatchObject({ outcome: 'nothing-returned' });
  expect(certificate.questions.find(({ id }) => id === 'unknown-query-parameter')?.outcome).toBe('ignored');
  expect(certificate.drift).toEqual([]);
  expect(failed).toMatchObject({ request: 'request', repeat_with: expect.stringContaining('"quantity":7') });
  const [note = '', answer = ''] = ['fail  own-seven-mugs (', 'own-unknown-query-parameter: '].map((start) =>
    certificate.notes.find((text) => text.startsWith(start)),
  );
  expect(note).toMatch(/mugs\.yaml:8:\d+\), request 'request': .*mug-3.* Send it again with: curl .*"quantity":7/);
  expect(answer).toMatch(/\(nothing-returned\) The case of the suite has another answer: .+ \(ignored\)$/);
  for (const verdict of ['conforms', 'incomplete'] as const)
    expect(determineExitStatusOfCertificate({ ...certificate, selected: undefined, verdict }), verdict).toBe(1);

  const [out, recordTo] = [path.join(folder, 'out'), path.join(folder, 'record.yaml')];
  const written = writeResults(run, some, { out, recordTo });
  expect(readCertificate(written.certificate).own_cases).toEqual(certificate.own_cases);
  const readResult = (file: string) => readFileSync(path.join(path.dirname(written.certificate), file), 'utf8');
  expect(readResult('summary.md')).toMatch(
    /own-unknown-query-parameter: .+\(nothing-returned\) The case of the suite has another answer: .+\(ignored\)/,
  );
  // The page has a section for them, in which the one that fails comes first, and does not repeat them as notes.
  const page = readResult('certificate.html');
  const section = /<section id="own-cases".*?<\/section>/s.exec(page)?.[0] ?? '';
  expect([...section.matchAll(/data-item[^>]* id="(.+?)"/g)].map(([, id]) => id)).toEqual([
    'own-seven-mugs',
    'own-unknown-query-parameter',
  ]);
  expect(section).toMatch(/verifies <a href="#order\.quantity">/);
  expect(section).toMatch(/\(nothing-returned\) The case of the suite has another answer: .+\(ignored\)/);
  expect(page.split('The case of the suite has another answer').length).toBe(2);
  expect(page).toContain('<a href="#own-cases">1 fail, 1 pass</a>');
  expect(readRecord(recordTo).questions['unknown-query-parameter']?.outcome).toBe('ignored');
  expect(readFileSync(path.join(path.dirname(written.certificate), 'observed.md'), 'utf8')).not.toContain(
    'nothing-returned',
  );
});

test.describe('Mistakes are reported with their location:', () => {
  const messageOf = (load: () => unknown) => new UnusableInput(listProblems(load)).message;

  test('in the cases', () => {
    const { namedRequests } = readNamedRequests(parseYaml(requests, 'requests.yaml'), suite.world, suite.namedRequests);
    for (const [change, by, said] of [
      [
        'own-seven',
        'seven',
        "mugs.yaml:3:9: the id 'seven-mugs' does not begin with 'own-'\n    Use 'own-seven-mugs'.",
      ],
      ['order.quantity', 'order.quantiy', "mugs.yaml:4:15: unknown requirement 'order.quantiy'"],
      ['    request:', '    tags: [sample]\n    request:', "mugs.yaml:6:12: the tag 'sample'"],
      // The tier is reserved for another customer.
      ['for-ben]', 'for-ann]', 'mugs.yaml:8:'],
      ['ben-with', 'bne-with', "mugs.yaml:6:14: unknown named request 'bne-with-seven-mugs'"],
    ] as const) {
      const basis = { ...withOwn(), namedRequests };
      const { problems } = readCaseFile(parseYaml(cases.replace(change, by), 'mugs.yaml'), basis, 'own-');
      expect(new UnusableInput(problems).message).toContain(said);
    }
  });

  test('in the folder, whose files are named as the user does', () => {
    const wrong = path.join(folder, 'wrong');
    mkdirSync(wrong);
    const noCaseFile = messageOf(() => loadSuite(packageCasesFolder, {}, wrong));
    expect(noCaseFile).toContain('wrong: the folder has no case file');
    expect(messageOf(() => loadSuite(packageCasesFolder, {}, path.join(folder, 'none')))).toContain(
      'none: cannot be read',
    );
    // Other files of the suite may be in the folder. A file of no known kind is reported.
    const others = {
      target: 'name: a\ncases: .\n',
      known: 'deviations: []\n',
      ids: 'tiers: {}\n',
      record: 'questions: {}\n',
    };
    for (const [name, text] of Object.entries(others)) writeFileSync(path.join(wrong, `${name}.yaml`), text);
    expect(messageOf(() => loadSuite(packageCasesFolder, {}, wrong))).toBe(noCaseFile);
    writeFileSync(path.join(wrong, 'requests.yaml'), requests);
    expect(messageOf(() => loadSuite(packageCasesFolder, {}, wrong))).toBe(noCaseFile);
    writeFileSync(path.join(wrong, 'else.yaml'), 'services: {}\n');
    expect(messageOf(() => loadSuite(packageCasesFolder, {}, wrong))).toMatch(/else\.yaml:1:1: .*'cases'/);
    rmSync(path.join(wrong, 'else.yaml'));
    writeFileSync(path.join(wrong, 'requests.yaml'), requests.replace('ben>', 'bne>'));
    for (const name of ['a', 'b']) writeFileSync(path.join(wrong, `${name}.yaml`), cases);
    expect(messageOf(() => loadSuite(packageCasesFolder, {}, wrong))).toContain(
      "requests.yaml:5:23: unknown customer 'bne'",
    );
    writeFileSync(path.join(wrong, 'requests.yaml'), requests);
    const relative = path.relative(process.cwd(), wrong);
    expect(messageOf(() => loadSuite(packageCasesFolder, {}, wrong))).toContain(
      `${relative}/b.yaml:3:5: duplicate case id 'own-seven-mugs'`,
    );
  });
});

test('explain and --dry-run know own cases', async () => {
  const printed = async (...args: readonly string[]) =>
    (await runConformanceInProcess([...args, '--cases', 'mine'], { cwd: folder })).output;
  expect(await printed('explain', 'own-seven-mugs')).toContain('mine/deeper/mugs.yaml:3:5');
  expect(await printed('certify', '--dry-run', '--only', 'own')).toMatch(
    /^own-seven-mugs .*\n(.+\n)*own-unknown-query-parameter (.*\n)*\n2 of 2 cases/m,
  );
});

test('@long certify --cases shows a failure on its line, and ends with 1 although the target conforms', async () => {
  const { url, close } = await listen(miscount(createIndependentDeployment(suite.world)));
  writeFileSync(path.join(folder, 'target.yaml'), `name: mug-shop\nbase_url: ${url}\nworld: loaded\n`);
  // The reporter of Playwright shows the line.
  const command = ['certify', '--target', 'target.yaml', '--cases', 'mine', '--', '--reporter=line'];
  const { status, output } = await runConformance(command, { cwd: folder, env: credentialVariables });
  await close();
  expect(output).toMatch(/> +8 \| +request: \{ returned: \{ include: \[mug-3/);
  expect(output).toMatch(/fail .*own-seven-mugs .*mine\/deeper\/mugs\.yaml:8:30/);
  expect(output).toContain('Own cases, which do not change the verdict: mine, 1 fail, 1 pass.');
  const { verdict, own_cases } = readCertificate(path.join(folder, 'results/mug-shop/certificate.json'));
  expect([status, verdict, own_cases?.verdict]).toEqual([1, 'conforms', 'does-not-conform']);
  const verify = (...args: readonly string[]) =>
    runConformanceInProcess(['verify', 'results/mug-shop', ...args], { cwd: folder });
  for (const args of [[], ['--cases', 'mine']])
    expect(await verify(...args)).toMatchObject({ status: 0, output: expect.stringMatching(/^AGREES/) });
  const otherCases = path.join(folder, 'other');
  mkdirSync(otherCases);
  writeFileSync(path.join(otherCases, 'requests.yaml'), requests);
  writeFileSync(path.join(otherCases, 'mugs.yaml'), cases.replace('Seven mugs', 'Three mugs'));
  expect((await verify('--cases', 'other')).output).toContain('own_cases/digest: the certificate says');
});
