/** What differs on Windows, as far as it shows on any system: paths, names of files, and line ends. */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { sanitizeFolderName } from '../../src/config/run-inputs.js';
import { addDeviations } from '../../src/record/add-deviations.js';
import { addScopeEntries } from '../../src/record/declared-scope.js';
import { createRecord, readRecord, renderRecord } from '../../src/record/target-record.js';
import { computeTextDigest } from '../../src/support/digest.js';
import { packageRoot } from '../../src/support/package-root.js';
import { isInside, renderPath } from '../../src/support/paths.js';
import { listPlaces } from '../../src/support/problem.js';
import { credentialVariables, makeTestFolder, runConformanceInProcess } from '../support/cli.js';
import { certifyInProcess, createReference, suite } from '../support/in-process.js';

/** Whether Windows has a file of this name. */
function isNameOnWindows(name: string): boolean {
  const [base = ''] = name.split('.');
  return (
    !/^(con|prn|aux|nul|com\d|lpt\d)$/i.test(base.trim()) && !/[<>:"/\\|?*\p{Cc}]|[. ]$/u.test(name) && name !== ''
  );
}

test('The folder of each target has a name that Windows can have', () => {
  for (const [name, folder] of [
    ['shop', 'shop'],
    ['shop v1.2', 'shop-v1.2'],
    ['CON', 'CON-'],
    ['nul', 'nul-'],
    ['aux.shop', 'aux-.shop'],
    ['Com1', 'Com1-'],
    ['console', 'console'],
    ['com10', 'com10'],
    ['shop.', 'shop-'],
    ['127.0.0.1:8080', '127.0.0.1-8080'],
    ['..', '-'],
  ] as const)
    expect(sanitizeFolderName(name), name).toBe(folder);
  const part = fc.constantFrom('con', 'NUL', 'lpt3', 'COM', '1', '.', ' ', ':', '\\', '/', 'é', '-', '_', 'shop');
  fc.assert(
    fc.property(fc.array(part, { minLength: 1 }), (parts) => {
      const name = sanitizeFolderName(parts.join(''));
      expect(isNameOnWindows(name), JSON.stringify([parts, name])).toBe(true);
    }),
  );
});

test('Targets whose folders are one on Windows and macOS are refused', async () => {
  const cwd = makeTestFolder();
  for (const [file, name] of [
    ['a', 'shop'],
    ['b', 'Shop'],
  ])
    writeFileSync(path.join(cwd, `${file}.yaml`), `name: ${name}\nbase_url: http://127.0.0.1:1\n`);
  const args = ['certify', '--dry-run', '--target', 'a.yaml', '--target', 'b.yaml'];
  const { status, output } = await runConformanceInProcess(args, { cwd, env: credentialVariables });
  expect([status, output]).toEqual([2, expect.stringMatching(/^b\.yaml: has the same name as a\.yaml/)]);
});

test('Each file of the repository has a name that Windows can have, and that differs in more than its letter case', () => {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: packageRoot, encoding: 'utf8' }).split('\0');
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap((file) => file.split('/')).filter((name) => name !== '' && !isNameOnWindows(name))).toEqual([]);
  expect(new Set(files.map((file) => file.toLowerCase())).size).toBe(files.length);
});

const { win32, posix } = path;

test('Paths are shown with slashes, whatever the drive', () => {
  for (const [file, system, shown] of [
    ['conformance\\target.yaml', win32, 'conformance/target.yaml'],
    ['.\\a\\..\\target.yaml', win32, 'target.yaml'],
    ['D:\\a shop\\target.yaml', win32, 'D:/a shop/target.yaml'],
    ['\\\\server\\share\\target.yaml', win32, '//server/share/target.yaml'],
    ['conformance/target.yaml', win32, 'conformance/target.yaml'],
    ['conformance/target.yaml', posix, 'conformance/target.yaml'],
    ['a\\b.yaml', posix, 'a\\b.yaml'],
  ] as const)
    expect(renderPath(file, system), file).toBe(shown);
});

test('A file is in a folder, or on another drive, beside it or above it', () => {
  for (const [folder, file, system, expected] of [
    ['C:\\shop', 'C:\\shop\\a\\b', win32, true],
    ['C:\\shop', 'c:\\SHOP\\a', win32, true],
    ['C:\\shop', 'C:\\shop\\..a', win32, true],
    ['C:\\shop', 'D:\\shop\\a', win32, false],
    ['C:\\shop', 'C:\\shop-2\\a', win32, false],
    ['C:\\shop', 'C:\\', win32, false],
    ['C:\\shop', 'C:\\shop', win32, false],
    ['/shop', '/shop/..a', posix, true],
    ['/shop', '/shop-2/a', posix, false],
    ['/shop', '/', posix, false],
  ] as const)
    expect(isInside(folder, file, system), file).toBe(expected);
});

test('The places of an internal error are relative to the package', () => {
  for (const [root, frame, place] of [
    ['/a b/suite', 'f (file:///a%20b/suite/dist/x.js:1:2)', 'dist/x.js:1:2'],
    ['/a b/suite', 'f (/a b/suite/dist/x.cjs:1:2)', 'dist/x.cjs:1:2'],
    ['/a', 'async file:///a/x.js:1:2', 'x.js:1:2'],
    ['/a', 'new T [as f] (file:///b/x.js:1:2)', '/b/x.js:1:2'],
    ['/a', 'node:internal/process:1:2', 'node:internal/process:1:2'],
    ['D:\\a b\\suite', 'async f (file:///D:/a%20b/suite/dist/x.js:10:20)', 'dist/x.js:10:20'],
    ['D:\\a b\\suite', 'f (D:\\a b\\suite\\dist\\x.cjs:1:2)', 'dist/x.cjs:1:2'],
    ['D:\\a', 'file:///E:/a/x.js:1:2', '/E:/a/x.js:1:2'],
  ] as const)
    expect(listPlaces(`Error: text\n    at ${frame}\n`, root), frame).toEqual([place]);
});

/** What commands change in files of a user, by the file. */
const changes: Readonly<Record<string, (text: string) => Promise<string> | string>> = {
  'known deviations': (text) =>
    addDeviations(text, [{ requirement: 'limit.newest-150', cause: 'window-size/100', comment: 'a comment' }]).text,
  'a target file': (text) => addScopeEntries(text, ['limit.newest-150']),
  'an ignore list': async (text) => {
    const cwd = makeTestFolder();
    writeFileSync(path.join(cwd, '.gitignore'), text);
    await runConformanceInProcess(['init'], { cwd });
    return readFileSync(path.join(cwd, '.gitignore'), 'utf8');
  },
};
const texts: Readonly<Record<string, string>> = {
  'known deviations':
    'deviations:\n  - requirement: order.quantity # why\n    cause: quantity-ignored\n    reason: |\n      two\n      lines\n',
  'a target file': '# ours\nname: shop\nnot_applicable:\n  - { requirement: order.sku, reason: none }\n',
  'an ignore list': 'dist\nresults-of-ours',
};

for (const [file, change] of Object.entries(changes))
  test(`A changed file keeps its line ends: ${file}`, async () => {
    const text = texts[file] ?? '';
    const withLf = await change(text);
    expect(withLf).not.toBe(text);
    expect(withLf).not.toContain('\r');
    expect(await change(text.replaceAll('\n', '\r\n'))).toBe(withLf.replaceAll('\n', '\r\n'));
  });

test('The digest of a text does not depend on its line ends', () => {
  expect(computeTextDigest('a\r\nb\r\n')).toBe(computeTextDigest('a\nb\n'));
  expect(computeTextDigest('a\rb')).not.toBe(computeTextDigest('a\nb'));
});

test('The record of a run is the same with each line end: nothing has changed', async () => {
  const run = await certifyInProcess(createReference({}));
  const record = renderRecord(createRecord(suite, run, 'shop'));
  // Bodies of several lines are among the answers.
  expect(record).toMatch(/: \|/);
  const folder = makeTestFolder();
  const files = ['lf.yaml', 'crlf.yaml'].map((name) => path.join(folder, name)) as [string, string];
  writeFileSync(files[0], record);
  writeFileSync(files[1], record.replaceAll('\n', '\r\n'));
  const [lf, crlf] = files.map((file) => readRecord(file));
  expect(crlf).toEqual(lf);
});
