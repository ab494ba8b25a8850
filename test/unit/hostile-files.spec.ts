/** Files from somebody else end in bounded time, with status 2 and a sentence: nothing hangs, nothing is a bug of the suite. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import escapeStringRegexp from 'escape-string-regexp';
import fc from 'fast-check';
import type { Certificate } from '../../src/certificate/certificate.js';
import { findCertificateMismatches } from '../../src/certificate/find-certificate-mismatches.js';
import { writeResults } from '../../src/outputs/write-results.js';
import { matchesPathPatterns } from '../../src/recognition/path-patterns.js';
import { findExceededJsonBound, isDeeperThan, maxJsonLevels } from '../../src/support/json-bounds.js';
import { parseYaml } from '../../src/support/yaml-file.js';
import { makeTestFolder, runConformanceInProcess } from '../support/cli.js';
import { channelTo, suite } from '../support/in-process.js';
import { createIndependentDeployment } from '../support/independent-deployment.js';
import { createArchive, runWithEvidence } from '../support/run-with-evidence.js';
import { isWindows } from '../support/skip-on-windows.js';

const cwd = makeTestFolder();
const inFolder = (...names: readonly string[]) => path.join(cwd, ...names);

/** Makes a file of a size that takes no place on the disk. */
function writeSparse(file: string, size: number): void {
  writeFileSync(file, '');
  truncateSync(file, size);
}

const many = 40_000;
const levels = 100_000;
const repeat = (count: number, create: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => create(n)).join('');

/** Contents that no command can use, by what is wrong with them. */
const contents: Readonly<Record<string, string>> = {
  'JSON of 100,000 levels': '['.repeat(levels) + ']'.repeat(levels),
  'members of 100,000 levels': `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`,
  'JSON that does not end': '{"log":'.repeat(levels),
  'YAML of 100,000 levels': '- '.repeat(levels),
  'keys that are mappings, of 50,000 levels': '? '.repeat(levels / 2),
  '40,000 unknown keys': repeat(many, (n) => `key${n}: 1\n`),
  'a key that occurs 40,000 times': 'name: x\n'.repeat(many),
  '40,000 entries of a wrong type': `deviations:\n${'- 1\n'.repeat(many)}`,
  'a million values': `[${'1,'.repeat(1_000_000)}1]`,
  'aliases that stand for a billion values': `a: &a [x, x, x, x, x, x, x, x, x]\n${repeat(9, (n) => {
    const [name, before] = [String.fromCharCode(98 + n), String.fromCharCode(97 + n)];
    return `${name}: &${name} [${Array(9).fill(`*${before}`).join(', ')}]\n`;
  })}`,
  'a name of four million characters': `name: "${'x!'.repeat(2_000_000)}"\n`,
  'a text of four million slashes': `name: shop\nbase_url: "http://localhost${'/'.repeat(4_000_000)}x"\n`,
  'bytes that are no text': '\u0000\u0001\ufffe'.repeat(1000),
  nothing: '',
};

/** What is no regular file, or too large. */
const places: Readonly<Record<string, (file: string) => void>> = {
  'a folder': (file) => void mkdirSync(file),
  '600 MB': (file) => writeSparse(file, 600 * 1024 * 1024),
  ...(isWindows
    ? {}
    : {
        'a pipe': (file) => void execFileSync('mkfifo', [file]),
        'an endless device': (file) => symlinkSync('/dev/zero', file),
        'a terminal or nothing': (file) => symlinkSync('/dev/null', file),
        'a link to itself': (file) => symlinkSync(path.basename(file), file),
      }),
};

/** Each file that a user, or somebody else, hands in. @param file the hostile one */
const uses: Readonly<Record<string, { readonly ending: string; readonly args: (file: string) => readonly string[] }>> =
  {
    'a target file': { ending: '.yaml', args: (file) => ['certify', '--dry-run', '--target', file] },
    'a data file': { ending: '.json', args: (file) => ['certify', '--dry-run', '--reference', '--data', file] },
    bindings: { ending: '.yaml', args: (file) => ['certify', '--dry-run', '--target', targetWith('bindings', file)] },
    'a record to compare with': {
      ending: '.yaml',
      args: (file) => ['certify', '--dry-run', '--reference', '--against', file],
    },
    'a record to write': { ending: '.yaml', args: (file) => ['record', '--reference', '--to', file] },
    'a record of a mock': { ending: '.yaml', args: (file) => ['serve', '--as', file] },
    'known deviations': { ending: '.yaml', args: (file) => ['certify', '--dry-run', '--reference', '--known', file] },
    cases: { ending: '.yaml', args: (file) => ['explain', 'x', '--cases', path.dirname(file)] },
    'a certificate to compare': { ending: '.json', args: (file) => ['compare', file, file] },
    'a certificate to verify': { ending: '.json', args: (file) => ['verify', file] },
    'evidence to replay': { ending: '.har', args: (file) => ['certify', '--replay', file] },
  };

function targetWith(key: string, file: string): string {
  const target = path.join(path.dirname(file), 'target.yaml.txt');
  writeFileSync(target, `name: shop\nbase_url: https://shop.test\n${key}: ${path.basename(file)}\n`);
  return target;
}

const env = { CLIENT_APPLICATION_ID: 'an-application-id', CLIENT_TOKEN: 'a-token-of-the-test' };

const hostileFiles: readonly (readonly [what: string, create: (file: string) => void])[] = [
  ...Object.entries(contents).map(([what, text]) => [what, (file: string) => writeFileSync(file, text)] as const),
  ...Object.entries(places),
];

async function checkUse(use: string, files: typeof hostileFiles): Promise<void> {
  const { ending, args } = uses[use] as (typeof uses)[string];
  for (const [what, create] of files) {
    const file = path.join(makeTestFolder(), `hostile${ending}`);
    create(file);
    const { status, output } = await runConformanceInProcess(args(file), { cwd, env });
    expect([status, output.length > 0, output.length < 30_000], `${what}: ${output.slice(0, 3000)}`).toEqual([
      2,
      true,
      true,
    ]);
  }
}

for (const [n, use] of Object.keys(uses).entries()) {
  // Each file has two uses or more, and each use four files.
  test(`As ${use}, some hostile files neither hang nor look like a bug`, () =>
    checkUse(
      use,
      hostileFiles.filter((_, m) => m % 5 === n % 5),
    ));

  test(`As ${use}, no hostile file hangs or looks like a bug`, { tag: '@long' }, () => checkUse(use, hostileFiles));
}

test.describe('Bounds', () => {
  /** What a pattern means, as a regular expression: right, and slow for some. */
  const compile = (pattern: string) => {
    const sources = pattern
      .split('/')
      .slice(1)
      .map((step) => {
        if (step === '**') return '(?:/[^/]*)*';
        if (/^\d+$/.test(step)) return `/(?:${step}|\\*)`;
        return `/${step.split('*').map(escapeStringRegexp).join('[^/]*')}`;
      });
    return new RegExp(`^${sources.join('')}$`);
  };
  const step = fc.stringMatching(/^[ab*]{0,4}$|^[01]$/);
  const steps = fc.array(step, { maxLength: 5 }).map((all) => all.map((text) => `/${text}`).join(''));

  test('Patterns match as the documented regular expressions do', () => {
    fc.assert(
      fc.property(steps, steps, (place, pattern) => {
        expect(matchesPathPatterns(place, [pattern])).toBe(place === pattern || compile(pattern).test(place));
      }),
      { numRuns: 1_000 },
    );
  });

  test('Patterns with many wildcards take no time', () => {
    const long = `/${'a'.repeat(100_000)}/${'a/'.repeat(1000)}`;
    for (const pattern of [`/${'*a'.repeat(140)}*b/**`, `${'/**/a'.repeat(60)}/b`, `/**/${'*a'.repeat(140)}*b`])
      expect(matchesPathPatterns(long, [pattern])).toBe(false);
    expect(matchesPathPatterns(long, [`/${'*a'.repeat(140)}*/**`])).toBe(true);
  });

  test('The levels of JSON are counted before it is parsed, those in texts are not', () => {
    const nest = (count: number) => '['.repeat(count) + ']'.repeat(count);
    expect(findExceededJsonBound(nest(maxJsonLevels))).toBeUndefined();
    expect(findExceededJsonBound(nest(maxJsonLevels + 1))).toContain('levels');
    expect(findExceededJsonBound(JSON.stringify([nest(levels), `\\"${nest(levels)}`]))).toBeUndefined();
    expect(isDeeperThan(JSON.parse(nest(301)), 300)).toBe(false);
    expect(isDeeperThan(JSON.parse(nest(302)), 300)).toBe(true);
  });

  test('YAML reads as before: keys are unique, documents single, levels many', () => {
    expect(parseYaml('a: &x [1, 2]\nb: *x\n', 'x.yaml').value).toEqual({ a: [1, 2], b: [1, 2] });
    expect(parseYaml('', 'x.yaml').value).toBeNull();
    expect(parseYaml(`${'- '.repeat(maxJsonLevels - 10)}x`, 'x.yaml').value).toHaveLength(1);
    expect(() => parseYaml('a: 1\nb: { c: 1, c: 2 }\n', 'x.yaml')).toThrow(/^x\.yaml:2:12: .*unique: 'c'/);
    expect(() => parseYaml('a: 1\n---\nb: 1\n', 'x.yaml')).toThrow('documents');
    const file = parseYaml('a:\n  - b: 0012\n', 'x.yaml');
    expect([file.locate(['a', 0, 'b']), file.locateKey(['a', 0, 'b']), file.getSource(['a', 0, 'b'])]).toEqual([
      { file: 'x.yaml', line: 2, column: 8 },
      { file: 'x.yaml', line: 2, column: 5 },
      '0012',
    ]);
  });
});

// Evidence that fits its schema ----------------------------------------------------------------------------------------

interface Archive {
  log: { _origin: { inputs: Record<string, unknown>; extent: { judged: string[] } } };
}

/** What evidence may say, by what it names. @param change of the evidence */
const evidences: Readonly<Record<string, { readonly change: (archive: Archive) => void; readonly status: number }>> = {
  'a pattern with many wildcards': {
    change: ({ log }) => {
      const target = log._origin.inputs.target as object;
      Object.assign(target, { tierPatterns: [`/${'*a'.repeat(140)}*b`, `${'/**/*'.repeat(50)}/b`] });
    },
    status: 1,
  },
  'a case a hundred thousand times': {
    change: ({ log: { _origin } }) => {
      _origin.extent.judged = Array(100_000).fill(_origin.extent.judged[0]);
    },
    status: 1,
  },
  ...(isWindows
    ? {}
    : {
        'a data file that is a pipe': {
          change: ({ log }) => {
            execFileSync('mkfifo', [inFolder('pipe')]);
            log._origin.inputs.availability = { data: { file: inFolder('pipe'), digest: 'sha256:0' } };
          },
          status: 2,
        },
        'a data file that is endless': {
          change: ({ log }) => {
            log._origin.inputs.availability = { data: { file: '/dev/zero', digest: 'sha256:0' } };
          },
          status: 2,
        },
      }),
  'a number of requests without bounds': {
    change: ({ log }) => {
      log._origin.inputs.availability = { data: { file: 'data.json', digest: 'sha256:0', requests: 1e12 } };
    },
    status: 2,
  },
  'a schema with a pattern': {
    change: ({ log }) => {
      log._origin.inputs.expected = { outcomes: {}, schema: { additionalProperties: { pattern: '^(a+)+$' } } };
    },
    status: 2,
  },
};

test('No evidence makes `verify` run without end', async () => {
  const selects = ({ id }: { id: string }) => id === 'window-with-few-valid' || id === 'response-shape';
  const honest = createIndependentDeployment(suite.world);
  const run = await runWithEvidence(channelTo(honest), { selects });
  writeResults(run, suite, { out: cwd }, createArchive(run.evidence, run.origin));
  const read = () => JSON.parse(readFileSync(inFolder('evidence.har'), 'utf8'));
  const whole = read();
  for (const [what, { change, status }] of Object.entries(evidences)) {
    const archive = structuredClone(whole);
    change(archive);
    writeFileSync(inFolder('evidence.har'), JSON.stringify(archive));
    const ended = await runConformanceInProcess(['verify', '.'], { cwd });
    expect(ended.status, `${what}: ${ended.output.slice(0, 2000)}`).toBe(status);
  }
  // The certificate names a folder, too.
  writeFileSync(inFolder('evidence.har'), JSON.stringify(whole));
  const stated = JSON.parse(readFileSync(inFolder('certificate.json'), 'utf8'));
  const ownCases = { folder: '/usr', digest: `sha256:${'0'.repeat(64)}`, verdict: 'conforms', cases: [] };
  writeFileSync(inFolder('certificate.json'), JSON.stringify({ ...stated, own_cases: ownCases }));
  expect((await runConformanceInProcess(['verify', '.'], { cwd })).status).toBe(2);
});

test('An entry of a list that shares its id with another one is compared, too', async () => {
  const entries = (...sentences: readonly string[]) => sentences.map((sentence) => ({ id: 'unknown', sentence }));
  const certificateWith = (...sentences: readonly string[]) =>
    ({ causes: entries(...sentences) }) as unknown as Certificate;
  const compare = (left: readonly string[], right: readonly string[]) =>
    findCertificateMismatches(certificateWith(...left), certificateWith(...right)).length;
  expect(compare(['a', 'b', 'c'], ['a', 'b', 'c'])).toBe(0);
  for (const forged of [
    ['x', 'b', 'c'],
    ['a', 'x', 'c'],
    ['a', 'b', 'x'],
    ['a', 'b'],
    ['a', 'b', 'c', 'c'],
  ])
    expect(compare(forged, ['a', 'b', 'c']), forged.join()).toBeGreaterThan(0);
});
