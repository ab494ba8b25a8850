/** Known deviations: what is wrong and listed does not fail a run, and hides nothing else. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { serveReference } from '../../reference/server.js';
import { getRequirementOrQuestionId, type TestCase } from '../../src/cases/test-case.js';
import type { Certificate } from '../../src/certificate/certificate.js';
import { determineExitStatusOfCertificate, exitStatus } from '../../src/cli/exit-status.js';
import { loadRunInputs } from '../../src/config/run-inputs.js';
import type { World } from '../../src/contract/world.js';
import { createMock, readMockFiles } from '../../src/mock.js';
import { describeKnownDeviation } from '../../src/outputs/counts.js';
import { renderRunReport } from '../../src/outputs/terminal/run-report.js';
import { addDeviations } from '../../src/record/add-deviations.js';
import { createRecord, renderRecord } from '../../src/record/target-record.js';
import { renderYaml } from '../../src/support/render-yaml.js';
import { createTimedChannel, inProcessCredentials } from '../../tools/proof/judge-deployment.js';
import {
  credentialVariables,
  loadCertificate,
  makeTestFolder,
  runConformance,
  runConformanceInProcess,
} from '../support/cli.js';
import { type Answer, createReference, listRequirementsWith, suite } from '../support/in-process.js';
import { judgeAgain, type RunWithEvidence, runWithEvidence } from '../support/run-with-evidence.js';

const { conforms, drift, unusableInput } = exitStatus;
const fails = exitStatus['does-not-conform'];

const deploy = (...faults: readonly string[]): Answer => createReference({ faults });

interface Setting {
  /** A file of known deviations. */
  readonly known?: string | undefined;
  /** A record. */
  readonly against?: string;
  /** Prefixes of the ids of requirements; by default, all cases run. */
  readonly about?: readonly string[] | undefined;
}

/** Certifies a deployment in this process. */
async function certify(answer: Answer, { known, against, about = [''] }: Setting = {}) {
  const selects = (testCase: TestCase) =>
    about.some((prefix) => getRequirementOrQuestionId(testCase).startsWith(prefix));
  const options = { known, against };
  const run = await runWithEvidence(createTimedChannel(answer), { options, selects });
  return { ...run, status: determineExitStatusOfCertificate(run.certificate) };
}

/** Writes the known deviations of a run, with reasons, as `record --known` does. */
function writeKnown({ newDeviations }: RunWithEvidence, more = ''): string {
  const text = addDeviations('', newDeviations);
  return writeFile(text.replaceAll('reason: ""', `reason: It is an old index.${more}`));
}

let files = 0;
const folder = makeTestFolder();
function writeFile(text: string): string {
  files += 1;
  const file = path.join(folder, `known-${files}.yaml`);
  writeFileSync(file, text);
  return file;
}

const printFirstLines = (certificate: Certificate) => renderRunReport(certificate).split('\n').slice(0, 10).join('\n');

/** Faults with a cause. The short run has the first one, whose cause is found with few requests. */
const causes: readonly string[] = [
  'quantity-above-threshold',
  'window-of-100',
  'window-of-149',
  'window-missing',
  'customer-ignored',
  'first-listed-customer-only',
  'product-items-unread',
  'first-item-only',
  'last-item-lost',
  'sku-items-unread',
  'quantity-ignored',
  'quantity-one-short',
  'quantity-exactly',
  'quantity-as-one',
  'repeated-product-uncounted',
  'metadata-rules-ignored',
  'reservations-displace-the-rest',
  'metadata-filter-ignored',
  'expand-refused',
];

/** Further faults that each of these leaves visible, and how the causes of the run begin. */
const further: Readonly<Record<string, string>> = {
  'campaign-filter-ignored': 'campaign-filter-ignored',
  'unlisted-customer-refused': '(contrast|unexplained)',
  'metadata-by-value': 'metadata-by-value',
  'one-rule-suffices': 'one-rule-suffices',
  'order-metadata-refused': 'refused/400/with-order-metadata',
};

for (const [n, fault] of causes.entries()) {
  const isQuick = n === 0;
  const about = isQuick ? ['order.quantity', 'filter.promotion-id'] : undefined;
  let first: ReturnType<typeof certify> | undefined;
  const certifyFirst = () => (first ??= certify(deploy(fault), { about }));

  test(`${fault}: its known deviation passes, and is stale once it is mended`, {
    tag: isQuick ? [] : '@long',
  }, async () => {
    const unknown = await certifyFirst();
    const known = writeKnown(unknown);
    expect(unknown.status).toBe(fails);
    expect(readFileSync(known, 'utf8').match(/cause: /g)).toHaveLength(1);

    const again = await certify(deploy(fault), { known, about });
    expect(again.status, renderRunReport(again.certificate)).toBe(conforms);
    expect(again.certificate.verdict).toBe('does-not-conform');
    expect(again.certificate.causes).toBeUndefined();
    expect(renderRunReport(again.certificate)).toMatch(/^DOES-NOT-CONFORM.*, as known \(1 known deviation\)/m);
    expect(await judgeAgain(again)).toEqual(again.certificate);

    const mended = await certify(deploy(), { known, about });
    expect(mended.status).toBe(drift);
    expect(renderRunReport(mended.certificate)).toMatch(/^CONFORMS.*, 1 known deviation gone/m);
    expect(renderRunReport(mended.certificate)).toMatch(
      /^stale {2}\S+known-\d+\.yaml:\d+:\d+: .* Delete this entry\.$/m,
    );

    const expired = writeKnown(unknown, '\n    until: 2020-12-31');
    const late = await certify(deploy(fault), { known: expired, about });
    expect(late.status).toBe(fails);
    expect(late.newDeviations).toEqual([]);
    expect(renderRunReport(late.certificate)).toMatch(/^expired .* until 2020-12-31\./m);
  });

  for (const [m, [added, found]] of Object.entries(further).entries())
    test(`${fault} is known, and ${added} is found beside it`, {
      tag: isQuick && m === 0 ? [] : '@long',
    }, async () => {
      const single = await certifyFirst();
      const known = writeKnown(single);
      const { certificate, status } = await certify(deploy(fault, added), {
        known,
        about: m === 0 ? about : undefined,
      });
      expect(status).toBe(fails);
      const [cause, ...others] = certificate.causes ?? [];
      expect(cause?.id).toMatch(new RegExp(`^${found}`));
      const [listed] = single.certificate.causes ?? [];
      expect(others.map(({ id }) => id)).not.toContain(listed?.id);
      expect(printFirstLines(certificate)).toContain(cause?.sentence.slice(0, 100));
      expect(printFirstLines(certificate)).not.toContain(listed?.sentence.slice(0, 100));
      expect(renderRunReport(certificate)).toContain(`npx conformance record --known ${known}`);
    });
}

/** Requirements that a window of 149 leaves inconclusive, and a fault of each. */
const hidden: Readonly<Record<string, string>> = {
  'request.get-with-body': 'body-of-one-line',
  'order.metadata': 'order-metadata-refused',
  'options.expand-category': 'expand-refused',
  'filter.promotion-id': 'campaign-filter-ignored',
  'filter.tier-metadata': 'metadata-filter-ignored',
  'result.valid-only': 'one-rule-suffices',
};

test('With the cause of a smaller window, every other requirement has a verdict, and its faults are found', {
  tag: '@long',
}, async () => {
  const first = await certify(deploy('window-of-149'));
  expect(listRequirementsWith('inconclusive', first.certificate).toSorted()).toEqual(Object.keys(hidden).toSorted());
  const known = writeKnown(first);
  const { certificate } = await certify(deploy('window-of-149'), { known });
  expect(listRequirementsWith('inconclusive', certificate)).toEqual([]);
  expect(listRequirementsWith('pass', certificate)).toEqual(expect.arrayContaining(Object.keys(hidden)));
  for (const [requirement, fault] of Object.entries(hidden)) {
    const { certificate: broken, status } = await certify(deploy('window-of-149', fault), { known });
    expect(status, fault).toBe(fails);
    expect(listRequirementsWith('fail', broken), fault).toContain(requirement);
    expect(broken.causes?.[0]?.requirements, fault).toContain(requirement);
  }
});

test('Without a cause, any failure of the requirement is known, and of no other', { tag: '@long' }, async () => {
  const known = writeFile('deviations: [{ requirement: filter.promotion-id, reason: Later. }]');
  const { certificate, status } = await certify(deploy('campaign-filter-lost-with-reservations'), { known });
  expect(status, renderRunReport(certificate)).toBe(conforms);
  expect(certificate.requirements.find(({ id }) => id === 'filter.promotion-id')?.known).toEqual([
    { requirement: 'filter.promotion-id', reason: 'Later.' },
  ]);
  expect(
    (await certify(deploy('campaign-filter-lost-with-reservations', 'metadata-filter-ignored'), { known })).status,
  ).toBe(fails);
});

test('Several entries combine, and a cause of another size is none', { tag: '@long' }, async () => {
  const known = writeKnown(await certify(deploy('window-of-100', 'expand-refused')));
  const both = await certify(deploy('window-of-100', 'expand-refused'), { known });
  expect(both.status, renderRunReport(both.certificate)).toBe(conforms);
  expect(renderRunReport(both.certificate)).toContain('(2 known deviations)');
  // One of them is mended.
  expect((await certify(deploy('window-of-100'), { known })).status).toBe(drift);
});

/** What a known bug may turn into, which is a new failure. The id of its cause begins so. */
const turned: readonly (readonly [known: string, now: readonly string[], cause: string])[] = [
  ['window-of-100', ['window-of-149'], 'window-size/149'],
  ['campaign-filter-ignored', ['campaign-filter-lost-with-expand'], 'contrast'],
  ['quantity-one-short', ['quantity-ignored'], 'quantity-ignored'],
  // A known mistake leaves nothing to return, and an empty result may have any status.
  [
    'nothing-without-a-reservation',
    ['nothing-without-a-reservation', 'unlisted-customer-refused'],
    '(contrast|unexplained)',
  ],
];

for (const [fault, now, cause] of turned)
  test(`${fault} is known, and turns into ${now.at(-1)}`, { tag: '@long' }, async () => {
    const known = writeKnown(await certify(deploy(fault)));
    const run = await certify(deploy(...now), { known });
    const { certificate, status, newDeviations } = run;
    expect(status, renderRunReport(certificate)).toBe(fails);
    expect(certificate.known_deviations?.entries.map(({ state }) => state)).toEqual(['stale']);
    expect(certificate.causes?.[0]?.id).toMatch(new RegExp(`^${cause}`));
    expect(newDeviations).toHaveLength(1);
    expect(printFirstLines(certificate)).toMatch(
      /^stale {2}\S+:\d+:\d+: .* no longer explains it\. Delete this entry\.$/m,
    );
    expect(printFirstLines(certificate)).toContain(certificate.causes?.[0]?.sentence.slice(0, 100));
    expect(renderRunReport(certificate)).toMatch(/^DOES-NOT-CONFORM, 1 known deviation gone/m);
    expect(await judgeAgain(run)).toEqual(certificate);
  });

test('A known refusal hides no other wrong response of the same row', async () => {
  // Its row sends requests with both filters, with expand and without.
  const selects = ({ id }: TestCase) => id === 'reservations-with-both-filters';
  const refused = deploy('expand-refused');
  const options = {
    reference: true,
    known: writeKnown(await certify(refused, { about: ['options.', 'filter.promotion-id'] })),
  };
  const known = await runWithEvidence(createTimedChannel(refused), { options, selects });
  expect(determineExitStatusOfCertificate(known.certificate)).toBe(conforms);
  const body = JSON.stringify({ promotions: suite.world.tiers.map(({ id }) => ({ id })) });
  const answer: Answer = (request) => {
    const response = refused(request);
    return response.status === 200 && request.path.includes('metadata') ? { ...response, body } : response;
  };
  const wrong = await runWithEvidence(createTimedChannel(answer), { options, selects });
  expect(determineExitStatusOfCertificate(wrong.certificate), renderRunReport(wrong.certificate)).toBe(fails);
});

test('A known failure is confirmed, too', async () => {
  const about = ['filter.promotion-id'];
  const known = writeKnown(await certify(deploy('campaign-filter-ignored'), { about }));
  const [right, wrong] = [deploy(), deploy('campaign-filter-ignored')];
  let filtered = 0;
  // The first response to a filter is that of a cache.
  const answer: Answer = (request) => {
    filtered += request.path.includes('promotion_id') ? 1 : 0;
    return filtered === 1 ? wrong(request) : right(request);
  };
  const { certificate } = await certify(answer, { known, about });
  expect(listRequirementsWith('fail', certificate)).toEqual([]);
});

test('Answers of the record that a known bug leaves open are named', { tag: '@long' }, async () => {
  const record = path.join(folder, 'record.yaml');
  writeFileSync(record, renderRecord(createRecord(suite, await certify(deploy()), 'shop')));
  const known = writeKnown(await certify(deploy('quantity-ignored')));
  const { certificate, status } = await certify(deploy('quantity-ignored'), { known, against: record });
  expect(status).toBe(drift);
  expect(renderRunReport(certificate)).toMatch(/^Answers of the record that could not be compared: .* more\.$/m);
});

const entry = (text: string) => `deviations:\n  - { requirement: order.quantity, ${text} }\n`;

test('An unusable file is refused with the place of each problem, and nothing is sent', async () => {
  const rows: readonly (readonly [text: string, line: string, hint: RegExp])[] = [
    [
      'deviations:\n  - { requirement: order.quantty, reason: A }',
      "2:20: unknown requirement 'order.quantty'",
      /order\.quantity/,
    ],
    [entry('cause: quantity-ignord, reason: A'), "2:43: unknown cause 'quantity-ignord'", /quantity-ignored/],
    [entry('cause: window-size/900, reason: A'), "2:43: unknown cause 'window-size/900'", /leave out 'cause'/],
    [entry('cause: quantity-ignored/with-luck, reason: A'), '2:43: unknown cause', /leave out 'cause'/],
    [entry('cause: refused/400, reason: A'), '2:43: unknown cause', /leave out 'cause'/],
    [entry('reason: ""'), "2:44: 'reason' must NOT have fewer than 1 characters", /Say in a sentence why/],
    [entry('reason: A, until: 31.12.2027'), '\'until\' must match format "date"', /2027-03-31/],
    [entry('reason: A, when: now'), "2:47: unknown key 'when'", /./],
    [
      `${entry('reason: A')}  - { requirement: order.quantity, reason: B }`,
      "3:20: 'order.quantity' is listed twice",
      /Remove/,
    ],
  ];
  for (const [text, line, hint] of rows) {
    const known = writeFile(text);
    const { status, output } = await runConformanceInProcess(['certify', '--reference', '--known', known], {
      cwd: folder,
    });
    expect(status, text).toBe(unusableInput);
    expect(output, text).toContain(line);
    expect(output.split('\n')[1], text).toMatch(hint);
  }
  expect(existsSync(path.join(folder, 'results'))).toBe(false);
});

test('record writes the known deviations, and certify takes them once they have a reason', {
  tag: '@long',
}, async () => {
  const cwd = makeTestFolder();
  const { url, close } = await serveReference({
    world: suite.world,
    credentials: { applicationId: credentialVariables.CLIENT_APPLICATION_ID, token: credentialVariables.CLIENT_TOKEN },
    faults: [{ change: () => ({ newest: (tiers: World['tiers']) => tiers.slice(0, 100) }) }],
  });
  const run = (...args: string[]) => runConformance(args, { cwd, env: credentialVariables });
  const check = (...args: string[]) => runConformanceInProcess(args, { cwd, env: credentialVariables });
  writeFileSync(path.join(cwd, 'target.yaml'), `name: shop\nbase_url: ${url}\nknown: known.yaml\n`);
  const known = path.join(cwd, 'known.yaml');

  const recorded = await run('record', '--target', 'target.yaml', '--to', 'shop.yaml', '--known', 'known.yaml');
  expect(recorded.status, recorded.output).toBe(fails);
  expect(recorded.output).toContain('known.yaml: 1 deviation added. Fill in each reason,');
  expect((await check('certify', '--target', 'target.yaml')).status).toBe(unusableInput);

  const issue = 'https://tracker.example/SHOP-1';
  const filled = readFileSync(known, 'utf8').replace('reason: ""', `reason: Old <index>\n    issue: ${issue}`);
  writeFileSync(known, filled);
  const { status, output } = await run('certify', '--target', 'target.yaml');
  expect(status, output).toBe(conforms);
  expect(output).toContain(`As known: Old <index> (${issue})`);
  const results = path.join(cwd, 'results', 'shop');
  expect(readFileSync(path.join(results, 'summary.md'), 'utf8')).toContain(issue);
  const page = readFileSync(path.join(results, 'certificate.html'), 'utf8');
  expect(page).toContain('Does not conform, as known (1 known deviation)');
  expect(page).toContain(`<a href="${issue}">`);
  expect(page).toContain('Old &#60;index&#62;');
  expect(loadCertificate(cwd, 'results/shop').known_deviations).toMatchObject({
    file: 'known.yaml',
    verdict: 'conforms',
  });
  expect((await check('verify', 'results/shop')).status).toBe(conforms);
  await close();
});

test('record --known writes its file, and leaves the record of the target as it is', async () => {
  const cwd = makeTestFolder();
  const target = path.join(cwd, 'target.yaml');
  const record = path.join(cwd, 'record.yaml');
  writeFileSync(target, 'name: shop\nbase_url: http://127.0.0.1:1\nrecord: record.yaml\n');
  writeFileSync(record, 'target: shop\nsuite: { name: a, version: 1.0.0, digest: sha256:1 }\nquestions: {}\n');
  const known = path.join(cwd, 'known.yaml');
  const load = (options: object) => {
    const { destination, expected } = loadRunInputs({ target, ...options }, credentialVariables).settings;
    return { ...destination, comparesWith: expected.record };
  };
  const folder = { out: path.join('results', 'shop') };
  const relative = path.relative('', record);
  const compared = { ...folder, comparesWith: relative };
  expect(load({ recordTo: true, known })).toEqual({ ...compared, recordKnownTo: known });
  expect(load({ recordTo: true })).toEqual({ ...compared, recordTo: relative });
  // Who names both files wants both.
  expect(load({ recordTo: record, known })).toMatchObject({ recordTo: record, recordKnownTo: known });
});

test('An entry without a cause says in its line that it hides every failure', async () => {
  const whole = { requirement: 'order.quantity', reason: 'A reason. '.repeat(100) };
  const byCause = { ...whole, cause: 'quantity-ignored' };
  const known = writeFile(renderYaml({ deviations: [whole] }, ' Known'));
  const { certificate } = await certify(deploy('quantity-above-threshold'), { known, about: ['order.quantity'] });
  const line =
    /^ {2}fail .*order\.quantity +As known: Every failure of this requirement, since the entry names no cause: A/m;
  expect(renderRunReport(certificate)).toMatch(line);
  expect(describeKnownDeviation(byCause)).toMatch(/^A reason/);
  const added = addDeviations('', [
    { requirement: 'order.quantity', comment: 'Why.' },
    { requirement: 'customer.by-id', cause: 'first-customer-only', comment: 'Why.' },
  ]);
  expect(added.match(/# Why\.\n {2}# It names no cause, so every failure of this requirement counts/g)).toHaveLength(1);
  const written = { certificate: 'c.json', known: { file: 'known.yaml', added: 2, hidden: ['order.quantity'] } };
  expect(renderRunReport(certificate, written)).toMatch(
    /^Known .*No cause is named for order\.quantity: every failure/m,
  );
  const explained = { ...written, known: { ...written.known, hidden: [] } };
  expect(renderRunReport(certificate, explained)).not.toContain('No cause is named');
});

test('New deviations are added to a file, whose comments stay', () => {
  const text = '# Ours.\ndeviations:\n  - requirement: order.quantity # for now\n    reason: A\n';
  const added = addDeviations(text, [{ requirement: 'customer.by-id', cause: 'first-customer-only', comment: 'Why.' }]);
  expect(added).toBe(
    `${text}  # Why.\n  - requirement: customer.by-id\n    cause: first-customer-only\n    reason: ""\n`,
  );
});

test('A mock has the known deviations, and says which it cannot have', async () => {
  for (const [cause, requirement] of [
    ['window-size/100', 'limit.newest-150'],
    ['quantity-ignored', 'order.quantity'],
  ] as const) {
    const known = writeFile(`deviations: [{ requirement: ${requirement}, cause: ${cause}, reason: A }]`);
    const { certificate } = await certify(createMock({ known, credentials: inProcessCredentials }), {
      about: [requirement],
    });
    expect(certificate.causes?.map(({ id }) => id)).toEqual([cause]);
  }
  const known = writeFile(`deviations:
  - { requirement: order.quantity, reason: A }
  - { requirement: order.quantity, cause: refused/422/with-expand, reason: A }`);
  expect(readMockFiles({ known }).inimitable).toEqual(['order.quantity', 'refused/422/with-expand']);
});
