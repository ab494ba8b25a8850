/** Known deviations: what is wrong and listed does not fail a run, and hides nothing else. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { serveReference } from '../../reference/deployment/server.js';
import type { TestCase } from '../../src/cases/test-case.js';
import type { Certificate } from '../../src/certificate/certificate.js';
import { determineExitStatusOfCertificate, exitStatus } from '../../src/cli/exit-status.js';
import { loadRunInputs } from '../../src/config/run-inputs.js';
import type { World } from '../../src/contract/world.js';
import { createMock, readMockFiles } from '../../src/mock.js';
import { renderRunReport } from '../../src/outputs/terminal/run-report.js';
import { createRecord, renderRecord } from '../../src/record/target-record.js';
import type { UnusableInput } from '../../src/support/problem.js';
import { createTimedChannel, inProcessCredentials } from '../../tools/proof/judge-deployment.js';
import { certify, deploy, folder, writeFile, writeKnown } from '../support/certify-known.js';
import {
  credentialVariables,
  loadCertificate,
  makeTestFolder,
  runConformance,
  runConformanceInProcess,
} from '../support/cli.js';
import { type Answer, createReference, listRequirementsWith, suite } from '../support/in-process.js';
import { judgeAgain, runWithEvidence } from '../support/run-with-evidence.js';

const { conforms, drift, unusableInput } = exitStatus;
const fails = exitStatus['does-not-conform'];

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

test('A mistake about quantities that is known is known of repeated products, too, however they add up', async () => {
  const behaviours = { 'repeated-product-quantities': 'each-item-alone' } as const;
  const deployment = createReference({ faults: ['quantity-above-threshold'], behaviours });
  const unknown = await certify(deployment);
  expect(unknown.certificate.causes?.map(({ id }) => id)).toEqual(['quantity-above-threshold']);
  const again = await certify(deployment, { known: writeKnown(unknown) });
  expect(again.status, renderRunReport(again.certificate)).toBe(conforms);
});

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
  ['campaign-filter-ignored', ['requests-expand-and-campaign-filter/filters-lost'], 'contrast'],
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
    // One mistake, in the rows of each requirement that it breaks.
    expect(new Set(newDeviations.map(({ comment }) => comment)).size).toBe(1);
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
  expect(filtered).toBeGreaterThan(1);
  expect(certificate.unstable).not.toEqual([]);
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
      'deviations:\n  - { requirement: order.quantty, rows: { a: all }, reason: A }',
      "2:20: unknown requirement 'order.quantty'",
      /order\.quantity/,
    ],
    [entry('cause: quantity-ignord, reason: A'), "2:43: unknown cause 'quantity-ignord'", /quantity-ignored/],
    [entry('cause: window-size/900, reason: A'), "2:43: unknown cause 'window-size/900'", /name the rows/],
    [entry('cause: quantity-ignored/with-luck, reason: A'), '2:43: unknown cause', /name the rows/],
    [entry('cause: refused/400, reason: A'), '2:43: unknown cause', /name the rows/],
    [entry('reason: "", rows: { a: all }'), "2:44: 'reason' must not be empty", /Say in a sentence why/],
    [entry('reason: A, rows: { a: all }, until: 31.12.2027'), "'until' must be a date", /2027-03-31/],
    [
      entry('reason: A, rows: { a: all }, when: now'),
      "2:65: unknown key 'when'",
      /^ {4}Known: rows, cause, reason, issue, until, requirement\.$/,
    ],
    [
      `${entry('reason: A, rows: { a: all }')}  - { requirement: order.quantity, reason: B, rows: { b: all } }`,
      "3:20: 'order.quantity' is listed twice",
      /Remove/,
    ],
    // A whole requirement is never known.
    [
      entry('reason: A'),
      "2:5: entry 1 of 'deviations' has none of the keys 'cause' and 'rows'",
      /or else the rows that fail/,
    ],
    [
      entry('reason: A, cause: quantity-ignored, rows: { a: all }'),
      "2:5: entry 1 of 'deviations' has more than one of the keys 'cause' and 'rows'",
      /Name the cause, if the responses prove one, or else the rows that fail/,
    ],
    [entry('reason: A, rows: all'), "2:53: 'rows' must be a mapping", /by the id of their case/],
    [entry('reason: A, rows: {}'), "2:53: 'rows' must not be empty", /by the id of their case/],
    [entry('reason: A, rows: { a: some }'), "2:58: 'some' does not match ^all$", /the titles of the rows/],
    [entry('reason: A, rows: { a: [] }'), "2:58: 'a' must not be empty", /the titles of the rows/],
    [entry('reason: A, rows: { a: [b, 1] }'), "2:62: entry 2 of 'a' must be a text", /quotation marks/],
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
  // What does not apply is added to the target file, in either case.
  const folder = { out: path.join('results', 'shop'), recordScopeTo: target };
  const relative = path.relative('', record);
  const compared = { ...folder, comparesWith: relative };
  expect(load({ recordTo: true, known })).toEqual({ ...compared, recordKnownTo: known });
  expect(load({ recordTo: true })).toEqual({ ...compared, recordTo: relative });
  // Who names both files wants both.
  expect(load({ recordTo: record, known })).toMatchObject({ recordTo: record, recordKnownTo: known });
});

test('record without a place for the record names the file of known deviations', () => {
  const cwd = makeTestFolder();
  const target = path.join(cwd, 'target.yaml');
  const explain = (stated: string) => {
    writeFileSync(target, `name: shop\nbase_url: http://127.0.0.1:1\n${stated}`);
    try {
      loadRunInputs({ target, recordTo: true }, credentialVariables);
    } catch (error) {
      return (error as UnusableInput).problems.map(({ hint }) => hint).join();
    }
    return '';
  };
  writeFileSync(path.join(cwd, 'our bugs.yaml'), 'deviations:\n');
  const relative = path.posix.join(...path.relative('', cwd).split(path.sep));
  expect(explain('known: our bugs.yaml\n')).toContain(`use --known '${relative}/our bugs.yaml'`);
  expect(explain('')).toMatch(/Use --to, .* use --known known\.yaml$/);
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
  - { requirement: order.quantity, rows: { integer-quantity: all }, reason: A }
  - { requirement: order.quantity, cause: refused/422/with-expand, reason: A }`);
  expect(readMockFiles({ known }).inimitable).toEqual(['order.quantity', 'refused/422/with-expand']);
});
