/** `verify` judges the evidence of a run again, and says what differs from the certificate. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { computeDigest } from '../../src/certificate/har-archive.js';
import { writeResults } from '../../src/outputs/write-results.js';
import { makeTestFolder, runConformanceInProcess } from '../support/cli.js';
import { channelTo, createReference, suite } from '../support/in-process.js';
import { prepareEvidence, runWithEvidence } from '../support/run-with-evidence.js';

const cwd = makeTestFolder();

const inFolder = (name: string) => path.join(cwd, name);
const names = { certificate: 'certificate.json', evidence: 'evidence.har' } as const;

/** Writes the files of a failing run, once. */
let files: Promise<{ certificate: string; evidence: string }> | undefined;
const writeRunFiles = async () => {
  const answer = createReference({ faults: ['quantity-ignored'] });
  const options = { only: ['order.quantity', 'response-status', 'deprecation-headers'] };
  const { certificate, results, evidence, origin } = await runWithEvidence(channelTo(answer), { options });
  writeResults(certificate, suite, results, { out: cwd }, prepareEvidence({ evidence, origin }, results));
  const [stated, exchanges] = [names.certificate, names.evidence].map((name) => readFileSync(inFolder(name), 'utf8'));
  return { certificate: stated ?? '', evidence: exchanges ?? '' };
};
const loadFiles = () => (files ??= writeRunFiles());

/** Verifies the files of the run with changes. */
async function verify(changed: { readonly certificate?: string; readonly evidence?: string } = {}) {
  const { certificate, evidence } = { ...(await loadFiles()), ...changed };
  writeFileSync(inFolder(names.certificate), certificate);
  writeFileSync(inFolder(names.evidence), evidence);
  return runConformanceInProcess(['verify', names.certificate], { cwd });
}

test('An unchanged certificate agrees with its evidence', async () => {
  expect(await verify()).toEqual({ status: 0, output: 'AGREES  certificate.json: does-not-conform\n' });
});

const changes: Readonly<Record<string, readonly [before: RegExp, after: string, difference: RegExp]>> = {
  'a verdict': [/"verdict": "fail"/g, '"verdict": "pass"', /^ {2}requirements\/\S+\/verdict: .*"pass"; .* "fail"$/m],
  'the verdict of the run': [
    /"does-not-conform"/,
    '"conforms"',
    /^ {2}verdict: .* "conforms"; .* "does-not-conform"$/m,
  ],
  'an answer': [/"outcome": "/, '"outcome": "x', /^ {2}questions\/\S+\/outcome: /m],
  'a reason': [/"reason": "N/, '"reason": "n', /^ {2}requirements\/\S+\/cases\/\S+\/reason: /m],
  'the address': [/"base_url": "http:/, '"base_url": "https:', /^ {2}target\/base_url: /m],
  'a count': [/"requests_sent": /, '"requests_sent": 1', /^ {2}requests_sent: the certificate says \d+; the ev/m],
  'the name of a requirement': [/"id": "/, '"id": "x', /^ {2}requirements\/\S+: the certificate says nothing; /m],
};
for (const [what, [before, after, difference]] of Object.entries(changes))
  test(`A change of ${what} is a difference`, async () => {
    const { status, output } = await verify({ certificate: (await loadFiles()).certificate.replace(before, after) });
    expect(output).toMatch(/^DIFFERS {2}certificate\.json\n/);
    expect(output).toMatch(difference);
    expect(status).toBe(1);
  });

test('Changed evidence is a difference, and so is what it shows', async () => {
  const { certificate, evidence } = await loadFiles();
  const reformatted = await verify({ evidence: JSON.stringify(JSON.parse(evidence)) });
  expect(reformatted.output.split('\n')).toEqual([
    'DIFFERS  certificate.json',
    expect.stringContaining('evidence/digest: '),
    '',
  ]);
  const changed = evidence.replaceAll(suite.world.tiers[0]?.id ?? '', 'another');
  const digests = [evidence, changed].map((text) => computeDigest(Buffer.from(text))) as [string, string];
  const { status, output } = await verify({ evidence: changed, certificate: certificate.replace(...digests) });
  expect(output).toMatch(/^ {2}requirements\/\S+: the certificate says/m);
  expect(status).toBe(1);
});

test('A certificate of another version of the suite is judged by the installed one, with a note', async () => {
  const { certificate, evidence } = await loadFiles();
  const older = certificate
    .replace(suite.digest, `sha256:${'0'.repeat(64)}`)
    .replace(/"at": "[^"]+"/, '"at": "cases/moved.yaml:1:1"');
  const { status, output } = await verify({ certificate: older, evidence });
  expect(output).toMatch(/^AGREES .*\nThe installed suite \(.*\) judged the evidence, not that of the certificate/);
  expect(status).toBe(0);
  const changed = await verify({ certificate: older.replaceAll('"verdict": "fail"', '"verdict": "inconclusive"') });
  expect(changed.output).toMatch(/the evidence shows "fail"\n[\s\S]*The installed suite/);
});

test('Evidence that is missing or has another form is unusable input', async () => {
  expect(await verify({ evidence: '{"log":{}}' })).toMatchObject({ status: 2 });
  rmSync(inFolder(names.evidence));
  const { status, output } = await runConformanceInProcess(['verify', names.certificate], { cwd });
  expect([status, output]).toEqual([2, expect.stringContaining('evidence.har: cannot be read: there is no such file')]);
});

test('The next run removes the evidence of the run before', async () => {
  const options = { only: ['response-status'] };
  const { certificate, results } = await runWithEvidence(channelTo(createReference()), { options });
  await verify();
  writeResults(certificate, suite, results, { out: cwd });
  expect(() => readFileSync(inFolder(names.evidence))).toThrow(/ENOENT/);
});
