/** Verifying a certificate: changes of the certificate, its evidence and its signature are found. */

import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { computeDigest } from '../../src/report/har-archive.js';
import { createSigner } from '../../src/report/signature.js';
import { writeResults } from '../../src/report/write-results.js';
import { makeTestFolder, runConformanceInProcess } from './support/cli.js';
import { channelTo, createReference, suite } from './support/in-process.js';
import { prepareEvidence, runWithEvidence } from './support/run-with-evidence.js';

const cwd = makeTestFolder();

const inFolder = (name: string) => path.join(cwd, name);
const toPem = ({ publicKey, privateKey }: { readonly publicKey: KeyObject; readonly privateKey: KeyObject }) => ({
  publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
});
const pair = generateKeyPairSync('ed25519');
const ours = toPem(pair);
writeFileSync(inFolder('key.pem'), ours.privateKey);
writeFileSync(inFolder('pub.pem'), ours.publicKey);
writeFileSync(inFolder('other.pem'), toPem(generateKeyPairSync('ed25519')).publicKey);

const names = { certificate: 'certificate.json', evidence: 'evidence.har', signature: 'certificate.sig' } as const;

/** The files of a failing run. */
const files = (async () => {
  const answer = createReference({ faults: ['window-of-149'] });
  const options = { only: ['limit.newest-150', 'response-status', 'deprecation-headers'] };
  const { certificate, results, evidence, origin } = await runWithEvidence(channelTo(answer), { options });
  const sign = createSigner(inFolder('key.pem'));
  writeResults(certificate, suite, results, { out: cwd, sign }, prepareEvidence({ evidence, origin }, results));
  return Object.fromEntries(Object.values(names).map((name) => [name, readFileSync(inFolder(name), 'utf8')]));
})();

/** Restores all files, except changed ones. */
async function withFiles(changed: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries({ ...(await files), ...changed })) writeFileSync(inFolder(name), text);
}

const verify = (...args: readonly string[]) => runConformanceInProcess(['verify', names.certificate, ...args], { cwd });

/** Changes the character after some words. */
function changedAfter(text: string, words: string): string {
  const at = text.indexOf(words);
  if (at === -1) throw new Error(`There is no ${words}.`);
  const position = at + words.length;
  const other = replacements[text[position] ?? ''] ?? String.fromCharCode(text.charCodeAt(position) + 1);
  return `${text.slice(0, position)}${other}${text.slice(position + 1)}`;
}

/** Digits of hexadecimal and base64 must stay valid digits. */
const replacements: Readonly<Record<string, string>> = { '9': '8', f: 'e', z: 'y', Z: 'Y', '+': '/' };

test('An unchanged certificate is whole, signed or not', async () => {
  await withFiles({});
  expect(await verify('--key', 'pub.pem')).toEqual({
    status: 0,
    output: 'WHOLE  certificate.json: does-not-conform; the signature is that of pub.pem\n',
  });
  expect((await verify()).output).toMatch(/^WHOLE .*\ncertificate\.sig was not checked: .* --key\.\n$/);
  rmSync(inFolder(names.signature));
  expect(await verify()).toEqual({ status: 0, output: 'WHOLE  certificate.json: does-not-conform\n' });
});

test.describe('A changed character is found', () => {
  const { certificate, evidence } = names;
  const alone: readonly (readonly [file: string, after: string, found: RegExp])[] = [
    [certificate, '{\n  "verdict": "', /^ {2}certificate: .*'verdict' cannot be 'eoes-not-conform'/m],
    [certificate, '"is_reference": ', /^ {2}certificate: /m],
    [certificate, '"selected": {\n    "verdict": "does', /^ {2}certificate: /m],
    [certificate, '"digest": "sha256:', /^ {2}(suite\/digest|certificate): /m],
    [certificate, '"id": "', /^ {2}requirements\/\S+: the certificate says nothing; the evidence shows/m],
    [certificate, '"file": "', /^ {2}evidence\/file: must be evidence\.har/m],
    [evidence, '"status":', /^ {2}evidence\/digest: /m],
    [evidence, '"text":"{', /^ {2}evidence\/digest: /m],
    [evidence, '"_uses":[{"case":"', /^ {2}evidence\/digest: /m],
    [evidence, '"judged":["', /^ {2}evidence\/digest: /m],
  ];
  const together: readonly (readonly [after: string, found: RegExp])[] = [
    ['"base_url": "http://', /^ {2}target\/base_url: the certificate says .*; the evidence shows/m],
    ['"version": "0.', /^ {2}suite\/version: the certificate says \d+\.\d+\.\d+; the evidence shows \d+\.\d+\.\d+/m],
    ['"not-run": ', /^ {2}summary\/not-run: the certificate says \d+; the evidence/m],
    ['"statement": "A', /^ {2}requirements\/\S+\/statement: /m],
    ['"reason": "N', /^ {2}requirements\/\S+\/cases\/\S+\/reason: /m],
    ['"failure": "', /^ {2}requirements\/\S+\/cases\/\S+\/failure: /m],
    ['"repeat_with": "curl', /^ {2}requirements\/\S+\/cases\/\S+\/repeat_with: /m],
    ['"outcome": "', /^ {2}questions\/\S+\/outcome: /m],
    ['"requests_sent": ', /^ {2}requests_sent: the certificate says \d+; the evidence shows \d+$/m],
    ['"exchanges_judged": ', /^ {2}exchanges_judged: /m],
    ['"exchanges": ', /^ {2}evidence\/exchanges: the certificate says \d+; the evidence shows \d+/m],
  ];
  test('without a signature', async () => {
    const whole = (await files)[certificate] ?? '';
    const changedTogether = together.reduce((text, [after]) => changedAfter(text, after), whole);
    await withFiles({ [certificate]: changedTogether.replaceAll('"verdict": "fail"', '"verdict": "pass"') });
    const { output: differences } = await verify();
    expect(differences).toMatch(
      /^ {2}requirements\/\S+\/verdict: the certificate says pass; the evidence shows fail$/m,
    );
    for (const [after, found] of together) expect.soft(differences, after).toMatch(found);
    for (const [file, after, found] of alone) {
      await withFiles({ [file]: changedAfter((await files)[file] ?? '', after) });
      const { status, output } = await verify();
      expect.soft(output, `${file}: ${after}`).toMatch(found);
      expect.soft(status, `${file}: ${after}`).toBe(1);
    }
  });

  test('with a signature', async () => {
    const signed: readonly (readonly [file: string, after: string, found: string])[] = [
      [certificate, '"started_at": "', 'certificate: was changed since it was signed.'],
      [certificate, '"is_reference"', 'certificate: was changed since it was signed.'],
      [evidence, '"time":', 'evidence: was changed since it was signed.'],
      [names.signature, '"signature": "', 'signature: was changed.'],
      [names.signature, '"evidence": "sha256:', 'signature: '],
      [names.signature, '"key": "sha256:', 'signature: was made with another key'],
      [names.signature, '"algorithm": "', 'signature: is not a signature file of this suite.'],
      [names.signature, '{', 'signature: '],
    ];
    for (const [file, after, found] of signed) {
      await withFiles({ [file]: changedAfter((await files)[file] ?? '', after) });
      const { status, output } = await verify('--key', 'pub.pem');
      expect.soft(output, `${file}: ${after}`).toContain(`\n  ${found}`);
      expect.soft(status, `${file}: ${after}`).toBe(1);
    }
  });
});

test('Evidence that was changed together with its digest is found', async () => {
  const { [names.certificate]: certificate = '', [names.evidence]: evidence = '' } = await files;
  const digest = computeDigest(Buffer.from(evidence));
  const verifyWith = async (changed: string) => {
    const renewed = certificate.replace(digest, computeDigest(Buffer.from(changed)));
    await withFiles({ [names.evidence]: changed, [names.certificate]: renewed });
    return (await verify()).output;
  };
  const newest = suite.world.tiers[0]?.id ?? '';
  expect(await verifyWith(evidence.replaceAll(newest, 'another'))).toMatch(
    /^ {2}requirements\/\S+: the certificate says/m,
  );
  expect(await verifyWith(evidence.replaceAll('"status":200', '"status":500'))).toMatch(/^ {2}selected\/cases\//m);
  expect(await verifyWith('{"log":{"entries":[null],"_origin":{}}}')).toMatch(/^ {2}evidence: cannot be judged again/m);
  expect(await verifyWith('nothing')).toMatch(/^ {2}evidence: cannot be judged again: /m);
});

test('A certificate of another version of the suite is judged by the installed one, with a note', async () => {
  const { [names.certificate]: certificate = '', [names.evidence]: evidence = '' } = await files;
  const other = (text: string) => text.replace(suite.digest, `sha256:${'0'.repeat(64)}`);
  const digests = [evidence, other(evidence)].map((text) => computeDigest(Buffer.from(text))) as [string, string];
  const older = other(certificate)
    .replace(...digests)
    .replace(/"at": "[^"]+"/, '"at": "cases/moved.yaml:1:1"');
  await withFiles({ [names.evidence]: other(evidence), [names.certificate]: older });
  const { status, output } = await verify();
  expect(output).toMatch(/^WHOLE .*\n(.*\n)?The installed suite \(.*\) is not the one of the certificate/);
  expect(status).toBe(0);
  const changed = older.replaceAll('"verdict": "fail"', '"verdict": "inconclusive"');
  await withFiles({ [names.evidence]: other(evidence), [names.certificate]: changed });
  expect((await verify()).output).toMatch(/the evidence shows fail\n[\s\S]*The installed suite/);
});

test('Missing files and other files are reported', async () => {
  await withFiles({});
  expect(await runConformanceInProcess(['verify', 'none.json'], { cwd })).toEqual({
    status: 2,
    output: 'none.json: cannot be read: there is no such file or folder\n    Name the certificate.json of a run.\n',
  });
  expect((await runConformanceInProcess(['verify', 'pub.pem'], { cwd })).output).toMatch(
    /BROKEN {2}pub\.pem\n.*is not valid JSON/,
  );
  expect((await verify('--key', 'other.pem')).output).toContain('signature: was made with another key, sha256:');
  rmSync(inFolder(names.signature));
  expect((await verify('--key', 'pub.pem')).output).toContain('signature: there is no certificate.sig');
  rmSync(inFolder(names.evidence));
  expect((await verify()).output).toContain('evidence/file: cannot read evidence.har');
});

test('An invalid key is rejected before anything is sent, and is not shown', async () => {
  const rsa = toPem(generateKeyPairSync('rsa', { modulusLength: 1024 }));
  const cipher = { cipher: 'aes-256-cbc', passphrase: 'a passphrase' };
  const encrypted = pair.privateKey.export({ type: 'pkcs8', format: 'pem', ...cipher }).toString();
  const broken = ours.privateKey.replace(/\n(.{10})/, '\nAAAAAAAAAA');
  const keys: Readonly<Record<string, string>> = {
    'rsa.pem': rsa.privateKey,
    'encrypted.pem': encrypted,
    'broken.pem': broken,
    'public.pem': ours.publicKey,
    'empty.pem': '',
  };
  for (const [name, text] of Object.entries(keys)) {
    writeFileSync(inFolder(name), text);
    const { status, output } = await runConformanceInProcess(['certify', '--reference', '--sign', name], { cwd });
    expect.soft(output, name).toContain('has no unencrypted private key (Ed25519, PEM)');
    expect.soft(status, name).toBe(2);
    for (const line of text.split('\n').filter((each) => /^[A-Za-z0-9+/=]{8,}$/.test(each)))
      expect.soft(output).not.toContain(line);
  }
  const none = await runConformanceInProcess(['certify', '--reference', '--sign', 'nowhere.pem'], { cwd });
  expect(none.output).toContain('--sign nowhere.pem: cannot be read: there is no such file or folder');
  expect((await verify('--key', 'key.pem')).output).toContain('has no public key (Ed25519, PEM)');
});

test('The next run removes the signature and evidence of the run before', async () => {
  const options = { only: ['response-status'] };
  const { certificate, results } = await runWithEvidence(channelTo(createReference()), { options });
  await withFiles({ 'evidence.har.gz': '' });
  writeResults(certificate, suite, results, { out: cwd });
  for (const name of [names.evidence, names.signature, 'evidence.har.gz'])
    expect(() => readFileSync(inFolder(name)), name).toThrow(/ENOENT/);
});
