/** Known deviations without a cause: the named rows may fail, and nothing else. */

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Certificate } from '../../src/certificate/certificate.js';
import { exitStatus } from '../../src/cli/exit-status.js';
import { describeKnownDeviation } from '../../src/outputs/counts.js';
import { renderRunReport } from '../../src/outputs/terminal/run-report.js';
import { addDeviations } from '../../src/record/add-deviations.js';
import type { KnownDeviation, RowsByCase } from '../../src/record/known-deviations.js';
import { getMember, isJsonObject, parseJson } from '../../src/support/json.js';
import { renderYaml } from '../../src/support/render-yaml.js';
import { parseYaml } from '../../src/support/yaml-file.js';
import { certify, deploy, type Setting, writeFile, writeKnown } from '../support/certify-known.js';
import { credentialVariables, makeTestFolder, runConformance, runConformanceInProcess } from '../support/cli.js';
import { type Answer, createReference, listRequirementsWith, suite } from '../support/in-process.js';
import { listen } from '../support/independent-deployment.js';
import { renderOutput } from '../support/render-output.js';
import { judgeAgain } from '../support/run-with-evidence.js';

const { conforms, drift } = exitStatus;
const fails = exitStatus['does-not-conform'];

const requirement = 'filter.promotion-id';
const about = [requirement];

/** Two faults of one requirement, without an exact cause: each makes rows fail that the other one does not. */
const [first, second] = ['campaign-filter-lost-with-reservations', 'requests-expand-and-campaign-filter/filters-lost'];

const readDeviations = (file: string) =>
  (parseYaml(readFileSync(file, 'utf8'), file).value as { deviations: KnownDeviation[] }).deviations;
const getState = ({ known_deviations }: Certificate) => known_deviations?.entries.map(({ state }) => state);

/** Writes an entry without a cause. */
const writeRows = (rows: RowsByCase, more: Partial<KnownDeviation> = {}) =>
  writeFile(renderYaml({ deviations: [{ requirement, rows, reason: 'Later.', ...more }] }, ' Known'));

/** Certifies a deployment twice: the second time, what the first run shows is known. */
async function certifyWithKnown(before: Answer, now: Answer, setting: Setting = { about }) {
  const known = writeKnown(await certify(before, setting));
  return { known, ...(await certify(now, { ...setting, known })) };
}

test('The named rows fail as known, and a page and a test say so', async () => {
  const run = await certifyWithKnown(deploy(first), deploy(first));
  const { certificate, status, known } = run;
  expect(status, renderRunReport(certificate)).toBe(conforms);
  expect(getState(certificate)).toEqual(['seen']);
  const [entry] = readDeviations(known);
  expect(entry?.cause).toBeUndefined();
  expect(entry?.rows).toMatchObject({
    'campaign-filter-with-many-matches': 'all',
    'filters-without-customer': ['after another parameter'],
  });
  expect(certificate.requirements.find(({ id }) => id === requirement)?.known).toEqual([entry]);
  const report = renderRunReport(certificate);
  expect(report).toMatch(/^ {2}fail .*filter\.promotion-id +As known: It is an old index\.$/m);
  expect(report).toMatch(/^DOES-NOT-CONFORM.*, as known \(1 known deviation\) {2}/m);
  expect(certificate.causes).toBeUndefined();
  expect(run.newDeviations).toEqual([]);
  expect(renderOutput('certificate.html', run, suite)).toContain('<b>fail, as known: after another parameter</b>');
  expect(await judgeAgain(run)).toEqual(certificate);
});

/** Refuses a filter together with expand. */
function refusingFilterWithExpand(): Answer {
  const answer = deploy();
  return (request) => {
    const isRefused = request.path.includes('?') && request.body?.includes('"category"') === true;
    return isRefused ? { status: 422, headers: [], body: '{"error":"not both"}' } : answer(request);
  };
}

/** Reads the first five items of an order. */
function readingFiveItems(): Answer {
  const answer = deploy();
  return (request) => {
    const body = parseJson(request.body ?? '');
    const order = getMember(body, 'order');
    const items = getMember(order, 'items');
    if (!isJsonObject(body) || !isJsonObject(order) || !Array.isArray(items)) return answer(request);
    return answer({ ...request, body: JSON.stringify({ ...body, order: { ...order, items: items.slice(0, 5) } }) });
  };
}

for (const [what, deployment] of Object.entries({ refusingFilterWithExpand, readingFiveItems }))
  test(`What cannot be judged for the reason of named rows is known, too: ${what}`, async () => {
    const { certificate, status, newDeviations } = await certifyWithKnown(deployment(), deployment(), {});
    const report = renderRunReport(certificate);
    expect(status, report).toBe(conforms);
    expect(certificate.causes, report).toBeUndefined();
    expect(newDeviations).toEqual([]);
  });

test('Another row that fails is new: it fails the run, and is explained', async () => {
  const run = await certifyWithKnown(deploy(first), deploy(first, second));
  const { certificate, status, newDeviations, known } = run;
  expect(status, renderRunReport(certificate)).toBe(fails);
  expect(getState(certificate)).toEqual(['seen']);
  expect(certificate.causes?.map(({ requirements }) => requirements)).toEqual([[requirement]]);
  const report = renderRunReport(certificate);
  expect(report).toMatch(/^What is wrong:$/m);
  expect(report).toContain(`npx conformance record --known ${known}`);
  // What is shown is a new failure: the named row of the same case comes later.
  const cases = certificate.requirements.find(({ id }) => id === requirement)?.cases ?? [];
  const mixed = cases.find(({ id }) => id === 'campaign-filter');
  const isNew = mixed?.rows?.filter((row) => row.known === undefined).map(({ title }) => title);
  expect(isNew).toEqual(['spring, an ordinary customer, nine items, expand, and some metadata']);
  expect(mixed?.reason).toContain(isNew?.[0]);
  // Only the rows that were not named are to be added.
  const [added] = newDeviations;
  expect(newDeviations).toHaveLength(1);
  expect(added?.rows?.['campaign-filter']).toEqual(isNew);
  expect(added?.rows?.['campaign-filter-with-many-matches']).toBeUndefined();
  expect(await judgeAgain(run)).toEqual(certificate);
});

test('A row of another requirement that fails is new, too', async () => {
  const known = writeKnown(await certify(deploy(first), { about }));
  const both = { known, about: [requirement, 'filter.tier-metadata'] };
  expect((await certify(deploy(first, 'requests-expand-and-metadata-filter/filters-lost'), both)).status).toBe(fails);
});

test('A named row that passes makes the entry stale', async () => {
  const { certificate, status, newDeviations } = await certifyWithKnown(deploy(first), deploy());
  expect(status).toBe(drift);
  expect(newDeviations).toEqual([]);
  const report = renderRunReport(certificate);
  expect(report).toMatch(
    /^stale {2}\S+known-\d+\.yaml:\d+:\d+: filter\.promotion-id passes in campaign-filter '.*', campaign-filter '.*' and \d+ more\. Delete this entry\.$/m,
  );
  expect(report).toMatch(/^CONFORMS.*, 1 known deviation gone/m);
});

test('If some of the named rows pass, the entry is stale, and the others fail as known', async () => {
  const both = writeKnown(await certify(deploy(first, second), { about }));
  const run = await certify(deploy(first), { known: both, about });
  const { certificate } = run;
  expect(run.status, renderRunReport(certificate)).toBe(drift);
  const [entry] = certificate.known_deviations?.entries ?? [];
  expect(entry).toMatchObject({
    state: 'stale',
    passing: { 'sample-campaign-filter': 'all', 'filters-without-customer': ['no customer'] },
  });
  expect(entry).not.toHaveProperty('missing');
  const report = renderRunReport(certificate);
  expect(report).toMatch(/\. Remove these rows from the entry\.$/m);
  expect(report).toMatch(/^DOES-NOT-CONFORM.*, as known \(1 known deviation\), 1 known deviation partly gone {2}/m);
  expect(await judgeAgain(run)).toEqual(certificate);
  // It fails, too, if other rows are new.
  const turned = await certifyWithKnown(deploy(first), deploy(second));
  expect(turned.status).toBe(fails);
  expect(getState(turned.certificate)).toEqual(['stale']);
});

test('A row that is not selected shows nothing', async () => {
  const rows = { 'campaign-filter-with-many-matches': 'all', 'campaign-filter': ['nothing like it'] } as const;
  const known = writeRows({ 'campaign-filter-with-many-matches': 'all' });
  const only = ['sample-campaign-filter'];
  const right = await certify(deploy(first), { known, only });
  expect(right.status, renderRunReport(right.certificate)).toBe(conforms);
  expect(getState(right.certificate)).toEqual(['not-judged']);
  const wrong = await certify(deploy(second), { known, only });
  expect(wrong.status).toBe(fails);
  expect(wrong.certificate.requirements.find(({ id }) => id === requirement)).not.toHaveProperty('known');
  // That the suite does not have a row is shown by any run.
  expect(getState((await certify(deploy(), { known: writeRows(rows), only })).certificate)).toEqual(['stale']);
});

test('A row or a case that the suite does not have makes the entry stale', async () => {
  const only = ['campaign-filter-with-many-matches'];
  const rows: RowsByCase = {
    'campaign-filter-with-many-matches': 'all',
    'campaign-filter': ['nothing like it'],
    // It verifies another requirement.
    'metadata-filter': ['level is gold, bulk, a product, expand, and some metadata'],
    'no-such-case': 'all',
    ['constructor' as string]: 'all',
    'own-case': 'all',
    'data-filter.promotion-id': ['1'],
  };
  const run = await certify(deploy(first), { known: writeRows(rows), only });
  expect(run.status, renderRunReport(run.certificate)).toBe(drift);
  expect(renderRunReport(run.certificate)).toMatch(/^ {2}fail .* As known: Later\.$/m);
  expect(renderRunReport(run.certificate)).toMatch(
    /^stale {2}\S+: The suite has no such row of filter\.promotion-id: campaign-filter 'nothing like it', metadata-filter 'level is gold.*…', no-such-case and 1 more\. Remove these rows from the entry\.$/m,
  );
  expect(await judgeAgain(run)).toEqual(run.certificate);
  const gone = await certify(deploy(), { known: writeRows({ 'no-such-case': 'all' }), only });
  expect(gone.status).toBe(drift);
  expect(renderRunReport(gone.certificate)).toMatch(/: no-such-case\. Delete this entry\.$/m);
  // Cases that this run does not load show nothing.
  const unloaded = writeRows({ 'own-case': 'all', 'data-filter.promotion-id': ['1'] });
  expect((await certify(deploy(), { known: unloaded, only })).status).toBe(conforms);
});

test('An expired entry names rows that fail again, and they are not added a second time', async () => {
  const known = writeRows({ 'campaign-filter-with-many-matches': 'all' }, { until: '2020-12-31' });
  const only = ['campaign-filter-with-many-matches'];
  const { certificate, status, newDeviations } = await certify(deploy(first), { known, only });
  expect(status).toBe(fails);
  expect(getState(certificate)).toEqual(['expired']);
  expect(newDeviations).toEqual([]);
});

test('A failure that is not seen again is not new beside a known one of the same case', async () => {
  const titles = ['summer, ann, a SKU only, expand, and some metadata', 'summer, bulk, nine items, nothing else'];
  const known = writeRows({ 'campaign-filter': titles });
  const only = ['campaign-filter'];
  const [right, wrong] = [deploy(), deploy('campaign-filter-ignored')];
  const rows = suite.cases.find(({ id }) => id === 'campaign-filter')?.rows ?? [];
  const requests = rows.map(({ title, requests: sent }) => {
    const { path: url = '', body = '' } = sent.get('filtered') ?? {};
    return { title, text: url + body };
  });
  const named = new Set(requests.flatMap(({ title, text }) => (titles.includes(title) ? text : [])));
  const other = requests.at(-1)?.text;
  let sent = 0;
  const answer: Answer = (request) => {
    const text = request.path + request.body;
    sent += text === other ? 1 : 0;
    return named.has(text) || (text === other && sent === 1) ? wrong(request) : right(request);
  };
  const { certificate, status } = await certify(answer, { known, only });
  expect(sent).toBeGreaterThan(1);
  expect(status, renderRunReport(certificate)).toBe(exitStatus.incomplete);
  expect(getState(certificate)).toEqual(['seen']);
  const shown = certificate.requirements.find(({ id }) => id === requirement)?.cases.find(({ id }) => id === only[0]);
  expect(shown?.apart_from_known).toBe('inconclusive');
});

test('A member that is refused is known as the case that fails as a whole, whichever case shows it', async () => {
  const right = deploy();
  const refusing: Answer = (request) => {
    const body = parseJson(request.body ?? '');
    const isRefused = typeof body === 'object' && body !== null && 'metadata' in body;
    return isRefused ? { status: 400, headers: [], body: '{}' } : right(request);
  };
  const rules = 'metadata.promotion-rules';
  const known = writeKnown(await certify(refusing, { about: [rules] }));
  const cases = suite.cases.flatMap(({ id, tags }) => (tags.includes(rules) ? id : []));
  expect(readDeviations(known)).toMatchObject([{ requirement: rules, rows: { [`${cases[0]}`]: 'all' } }]);
  for (const only of [cases.slice(0, 1), cases.slice(1, 2)]) {
    const { certificate, status } = await certify(refusing, { known, only });
    expect(listRequirementsWith('fail', certificate)).toEqual([rules]);
    expect(status, renderRunReport(certificate)).toBe(conforms);
    expect(renderRunReport(certificate)).toContain('as known (1 known deviation)');
  }
  expect((await certify(right, { known, only: cases.slice(0, 1) })).status).toBe(drift);
});

test('A failure that only the repetition at the end of a run shows is known, too', async () => {
  const only = ['sample-campaign-filter'];
  const filtered = suite.cases.find(({ id }) => id === only[0])?.rows[0]?.requests.get('probe');
  /** A cache that loses the filter of a request once it has answered it. */
  const forget = (): Answer => {
    const [right, wrong] = [deploy(), deploy('campaign-filter-ignored')];
    let sent = 0;
    return (request) => {
      const isSame = request.path === filtered?.path && request.body === filtered?.body;
      sent += isSame ? 1 : 0;
      return isSame && sent > 1 ? wrong(request) : right(request);
    };
  };
  const recorded = await certify(forget(), { only });
  expect(recorded.status, renderRunReport(recorded.certificate)).toBe(fails);
  const known = writeKnown(recorded);
  expect(readDeviations(known).map(({ rows }) => rows)).toEqual([{ 'sampled-again': 'all' }]);
  const again = await certify(forget(), { known, only });
  expect(again.status, renderRunReport(again.certificate)).toBe(conforms);
  expect(getState(again.certificate)).toEqual(['seen']);
  expect(await judgeAgain(again)).toEqual(again.certificate);
  expect(getState((await certify(deploy(), { known, only })).certificate)).toEqual(['stale']);
  // The case fails from the beginning, which is new.
  const worse = await certify(deploy('campaign-filter-ignored'), { known, only });
  expect(worse.status, renderRunReport(worse.certificate)).toBe(fails);
});

test('record says that an entry names rows, and adds rows to an entry that is there', async () => {
  const [byCause, byRows, more] = [
    { requirement: 'customer.by-id', cause: 'first-customer-only', comment: 'Why.' },
    { requirement, rows: { 'campaign-filter': ['a: b', 'no'] }, comment: 'Why not.' },
    { requirement, rows: { 'campaign-filter': ['no', '7'], other: 'all' }, comment: 'And?' },
  ] as const;
  const written = addDeviations('', [byCause, byRows]);
  expect(written).toMatchObject({ added: 2, extended: [] });
  expect(written.text.match(/# Why not\.\n {2}# .*names the rows that fail\. .* is new\.\n/g)).toHaveLength(1);
  const file = '# Ours.\ndeviations:\n';
  const entry = `  - requirement: ${requirement} # for now
    reason: A
    rows:
      # The slow ones.
      campaign-filter: [a, no] # more to come
`;
  const added = addDeviations(file + entry, [more]);
  expect(added).toMatchObject({ added: 0, extended: [requirement] });
  expect(added.text).toBe(`${file}${entry.replace('[a, no]', '[ a, no, "7" ]')}      other: all\n`);
  expect(addDeviations(added.text, [more]).text).toBe(added.text);
  // A case that fails as a whole has no titles.
  const whole = { requirement, rows: { 'campaign-filter': 'all' }, comment: '' } as const;
  expect(addDeviations(file + entry, [whole]).text).toContain('campaign-filter: all');
  expect(addDeviations(added.text.replace('[ a, no, "7" ]', 'all'), [more]).text).toContain('campaign-filter: all');
  // An entry that shares its rows with another one gets rows of its own.
  const shared = `deviations:
  - { requirement: order.quantity, rows: &rows { a: &titles [b] }, reason: A }
  - { requirement: ${requirement}, rows: *rows, reason: A }
  - { requirement: order.metadata, rows: { a: *titles }, reason: A }
`;
  const row = { rows: { a: ['c'] }, comment: '' } as const;
  const apart = addDeviations(shared, [
    { requirement, ...row },
    { requirement: 'order.metadata', ...row },
  ]);
  const { deviations } = parseYaml(apart.text, 'known.yaml').value as { deviations: KnownDeviation[] };
  expect(deviations.map(({ rows }) => rows)).toEqual([{ a: ['b'] }, { a: ['b', 'c'] }, { a: ['b', 'c'] }]);
});

test('New deviations are added to a file, whose comments stay', () => {
  const text =
    '# Ours.\ndeviations:\n  - requirement: order.quantity # for now\n    cause: quantity-ignored\n    reason: A\n';
  const { text: added } = addDeviations(text, [
    { requirement: 'customer.by-id', cause: 'first-customer-only', comment: 'Why.' },
    { requirement: 'order.quantity', rows: { 'integer-quantity': 'all' }, comment: 'Why.' },
  ]);
  const [before, byCause, byRows] = added.split('  # Why.\n');
  expect(before).toBe(text);
  expect(byCause).toBe('  - requirement: customer.by-id\n    cause: first-customer-only\n    reason: ""\n');
  expect(byRows).toContain('  - requirement: order.quantity\n    rows:\n      integer-quantity: all\n    reason: ""\n');
});

test('The report says what was added to the file', async () => {
  const { certificate } = await certify(deploy(), { only: ['integer-quantity'] });
  const report = (added: number, ...extended: readonly string[]) =>
    renderRunReport(certificate, { certificate: 'c.json', known: { file: 'known.yaml', added, extended } })
      .split('\n')
      .find((line) => line.startsWith('Known '));
  expect(report(0)).toBe('Known         known.yaml: nothing to add.');
  expect(report(2)).toMatch(/^Known {9}known\.yaml: 2 deviations added\. Fill in each reason/);
  expect(report(0, requirement)).toBe(`Known         known.yaml: Rows are added to the entry of ${requirement}.`);
  expect(describeKnownDeviation({ requirement, rows: { a: 'all' }, reason: 'A.', issue: '#1' })).toBe('A. (#1)');
});

test('record --known writes the rows of a run, and adds those of the next run', { tag: '@long' }, async () => {
  const cwd = makeTestFolder();
  const { CLIENT_APPLICATION_ID: applicationId, CLIENT_TOKEN: token } = credentialVariables;
  const serve = (...faults: readonly string[]) => createReference({ faults, credentials: { applicationId, token } });
  let answer = serve(first);
  const { url, close } = await listen((request) => answer(request));
  writeFileSync(path.join(cwd, 'target.yaml'), `name: shop\nbase_url: ${url}\nknown: known.yaml\n`);
  const known = path.join(cwd, 'known.yaml');
  const run = (...args: string[]) =>
    runConformance([...args, '--target', 'target.yaml', '--only', requirement], { cwd, env: credentialVariables });
  const check = (...args: string[]) => runConformanceInProcess(args, { cwd, env: credentialVariables });

  const recorded = await run('record', '--known', 'known.yaml');
  expect(recorded.status, recorded.output).toBe(fails);
  expect(recorded.output).toContain('known.yaml: 1 deviation added. Fill in each reason,');
  writeFileSync(known, readFileSync(known, 'utf8').replace('reason: ""', 'reason: Old. # Ours.'));
  expect((await run('certify')).status).toBe(conforms);

  answer = serve(first, second);
  const extended = await run('record', '--known', 'known.yaml');
  expect(extended.status, extended.output).toBe(fails);
  expect(extended.output).toContain(`known.yaml: Rows are added to the entry of ${requirement}.`);
  expect(readFileSync(known, 'utf8')).toContain('reason: Old. # Ours.');
  expect(readDeviations(known)).toHaveLength(1);
  const again = await run('certify');
  expect(again.status, again.output).toBe(conforms);
  expect((await check('verify', 'results/shop')).status).toBe(conforms);

  // Evidence is judged by the file that the replay names.
  const other = writeRows({ 'campaign-filter-with-many-matches': 'all' });
  const replay = ['certify', '--replay', 'results/shop/evidence.har', '--only', requirement];
  expect((await check(...replay)).status).toBe(conforms);
  expect((await check(...replay, '--known', other)).status).toBe(fails);
  answer = serve(first);
  expect((await run('certify')).status).toBe(drift);
  await close();
});
