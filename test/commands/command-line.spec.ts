/** Commands as typed: each row states the exit status and what is printed. A run never certifies a deployment that nobody named. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { split } from 'shlex';
import { referenceNotice } from '../../src/certificate/notices.js';
import { pickWorldLists } from '../../src/contract/world.js';
import { packageRoot } from '../../src/support/package-root.js';
import { credentialVariables, makeTestFolder, runConformance, runConformanceInProcess } from '../support/cli.js';
import { suite } from '../support/in-process.js';

const cwd = makeTestFolder();

const nowhere = 'http://127.0.0.1:1';
const [elsewhere, another] = ['http://127.0.0.1:2', 'http://127.0.0.1:3'];
const named = `name: shop\nbase_url: ${nowhere}/\n`;
const world = pickWorldLists(suite.world);
const ownCase = `cases:
  - id: own-quantity
    verifies: order.quantity
    title: Three mugs meet the threshold 3
    requests: { three: { from: ann-with-a-mug, body: { order: { items: [{ product_id: <product mug>, quantity: 3 }] } } } }
    expect: { three: { returned: { include: mug-3 } } }
`;
const { customer, product, campaign } = suite.world.ids;
const threeIds = [customer.get('ann'), product.get('mug'), campaign.get('spring')];
const files: Readonly<Record<string, string>> = {
  'package.json': '{}',
  'text.json': 'text',
  'bare.yaml': 'name: shop\n',
  'named.yaml': named,
  'variable.yaml': 'name: shop\nbase_url: $SHOP_URL\n',
  'careful.yaml': `${named}intrusive: false\n`,
  'three.yaml': `${named}bindings: three.ids.yaml\n`,
  'three.ids.yaml': threeIds.map((id) => `${id}: mine\n`).join(''),
  'no-rule.json': JSON.stringify({ ...world, tiers: [{ ...world.tiers[0], rules: [null] }] }),
  'no-campaign.json': JSON.stringify({ ...world, tiers: [{ ...world.tiers[0], campaign_id: 'none' }] }),
  'with-env/.env': `BASE_URL=${elsewhere}\n`,
  'with-env/bare.yaml': 'name: shop\n',
  'with-env/named.yaml': named,
  'project/package.json': '{}',
  'with-cases/conformance/own.yaml': ownCase,
};
test.beforeAll(() => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
    writeFileSync(path.join(cwd, name), text);
  }
});

interface Setting {
  readonly env?: Record<string, string>;
  /** Of the files above. */
  readonly folder?: string;
}
type Row = readonly [command: string, status: number, says: string | RegExp | readonly (string | RegExp)[], Setting?];

const withVariables = (variables: Record<string, string>) => ({ env: { ...credentialVariables, ...variables } });
const bySetting = (setting: Setting, ...rows: readonly Row[]) =>
  rows.map(([command, status, says]): Row => [command, status, says, setting]);
/** Commands that take a deployment, without sending anything to it. */
const planning = ['certify --dry-run', 'record --to r.yaml --dry-run'];
const noFile = 'cannot be read: no such file or directory';
const explained = suite.contract.requirements.find(({ id }) => id === 'limit.newest-150');

const tables: Readonly<Record<string, readonly Row[]>> = {
  'Unusable input is refused in words': [
    ['verify .', 2, noFile],
    [
      'verify none.json',
      2,
      `none.json: ${noFile}\n    Name the certificate.json of a run: results/<target>/certificate.json.\n`,
    ],
    ['verify text.json', 2, 'text.json: is not a certificate: it is not JSON'],
    ['compare project none.json', 2, noFile],
    ['compare package.json package.json', 2, 'package.json: is not a certificate'],
    ['certify --replay none.har', 2, noFile],
    ...['--target named.yaml', '--base-url https://a.test', '--reference', '--world-loaded', '--no-intrusive'].map(
      (stated): Row => [
        `certify --replay none.har ${stated}`,
        2,
        "option '--replay <file>' cannot be used with option",
      ],
    ),
    ["certify --dry-run --target 'shop,eu.yaml'", 2, 'shop,eu.yaml:1:1: '],
    ['certify --reference --against .', 2, 'cannot be read: it is a folder'],
    ["certify --reference --only ''", 2, "unknown case, requirement, question, tag or group ''"],
    [
      'certify --reference --only order.quantty,no-such-thing',
      2,
      [
        "unknown case, requirement, question, tag or group 'order.quantty'",
        "Did you mean 'order.quantity'?",
        "tag or group 'no-such-thing'",
      ],
    ],
    ['certify --reference --out text.json', 2, '--out: cannot write into text.json: file already exists'],
    ['certify --base-url htp://a.test', 2, "--base-url: 'htp://a.test'"],
    ['serve --fault window', 2, "Unknown fault 'window'. Did you mean"],
    ['serve --behaviour empty=x', 2, 'No question is called "empty"; did you mean'],
    ['serve --data no-rule.json', 2, 'no-rule.json:1:'],
    ['serve --data no-campaign.json', 2, "there is no campaign 'none'"],
    ['explain campain-filter', 2, /'campain-filter'\n.*'campaign-filter'/],
    ['explain limit.newest-15', 2, "'limit.newest-150'"],
  ],
  'A wrong base URL and an argument without a flag are refused': [...planning, 'doctor'].flatMap((command): Row[] => [
    [`${command} --base-url ${nowhere}/v1/promotions/validation`, command === 'doctor' ? 1 : 0, `: ${nowhere}\n`],
    [`${command} --base-url api.example.com`, 2, '\n    Write a URL such as https://api.example.com'],
    [`${command} --base-url localhost:8080`, 2, "'localhost:8080'"],
    [`${command} ${nowhere}`, 2, 'too many arguments'],
  ]),
  '--reference wins over the environment and excludes other targets': ['certify --dry-run', 'doctor'].flatMap(
    (command): Row[] => [
      [`${command} --reference`, 0, referenceNotice, withVariables({ BASE_URL: nowhere, TARGET: 'named.yaml' })],
      [`${command} --reference --base-url ${nowhere}`, 2, 'cannot be used with option'],
      [`${command} --reference --target named.yaml`, 2, 'cannot be used with option'],
      ...bySetting(
        { env: { CI: 'true' } },
        [command, 2, /^BASE_URL: is not set, .*\n.*--reference/],
        [`${command} --reference`, 0, referenceNotice],
      ),
    ],
  ),
  'In a project with a target file the reference deployment must be named': bySetting(
    { env: {}, folder: 'project' },
    ['init', 0, 'Written'],
    ['certify --dry-run', 2, /^BASE_URL: is not set, .*\n.*--reference/],
    ['certify --dry-run --reference', 0, referenceNotice],
    ['certify --dry-run --reference --cases conformance', 2, /^conformance: /m],
  ),
  'The folder of the target file may have own cases': bySetting(
    { folder: 'with-cases' },
    ['init', 0, 'Written'],
    ['certify --dry-run --reference --cases conformance', 0, 'own-quantity  ('],
  ),
  'A target file wins over .env, a flag and a variable over the file, but they must not contradict each other': [
    ['certify --dry-run --target named.yaml', 0, nowhere, { folder: 'with-env' }],
    ['certify --dry-run --target bare.yaml', 0, elsewhere, { folder: 'with-env' }],
    [`certify --dry-run --target named.yaml --base-url ${another}`, 0, another],
    [
      'certify --dry-run --target named.yaml',
      2,
      'BASE_URL: contradicts the base_url',
      withVariables({ BASE_URL: another }),
    ],
    ['certify --dry-run --target named.yaml', 0, nowhere, withVariables({ BASE_URL: nowhere })],
    ['certify --dry-run', 0, another, withVariables({ BASE_URL: another, TARGET: 'named.yaml' })],
  ],
  '--dry-run prints the requests, and why a case is excluded': [
    [
      `certify --dry-run --base-url ${nowhere}`,
      0,
      [
        'campaign-filter  (',
        /^ {2}\{customer:\{id:ann\},order:\{items:\[\{product_id:mug,quantity:1\}\].*\}, filter campaign spring$/m,
        /^method-delete {2}\(\d+\) {2}intrusive$/m,
        /^(\d+) of \1 cases, \d+ requests\. What fails is sent again\. Nothing was sent\./m,
        new RegExp(`^(?![\\s\\S]*${credentialVariables.CLIENT_TOKEN})`),
      ],
    ],
    ['certify --dry-run --target careful.yaml', 0, /^method-delete {2}Intrusive cases are excluded from this run\.$/m],
    ['certify --dry-run --intrusive --target careful.yaml', 0, /^method-delete {2}\(\d+\) {2}intrusive$/m],
    [
      'certify --dry-run --no-intrusive --target three.yaml',
      0,
      [
        /^method-delete {2}Intrusive cases are excluded from this run\.$/m,
        /^reserved-for-one-customer {2}not applicable: the target does not have customer ordinary, .* and \d+ more$/m,
      ],
    ],
  ],
  '--quick says how few requests it sends': [
    ['certify --quick --dry-run --reference', 0, [/^With --quick: the rows /m, /, (?:[1-5]?\d|60) requests/]],
  ],
  'explain takes a case, and list finds cases by requirement, tag and text': [
    // A name of several cases lists them, a line each.
    [
      'explain limit.newest-150',
      0,
      [explained?.statement ?? '', /^ {2}window-with-few-valid +\S/m, 'npx conformance explain CASE'],
    ],
    ['explain result.all-valid', 0, [/^'result\.all-valid' has \d cases\./m, /^ {2}every-valid-tier {2,}\S/m]],
    ['explain intrusive', 0, [/^'intrusive' has \d+ cases\./, /^ {2}method-post +\S/m]],
    ['explain integer-quantity', 0, 'It verifies the requirement order.quantity'],
    ['explain result.all-vali', 2, "'result.all-valid'"],
    ['list cases limit.newest-150', 0, /^window-with-few-valid +\S/m],
    ['list requirements limit.newest-150', 0, explained?.statement ?? ''],
    ['list cases intrusive', 0, 'method-post'],
    ['list faults of-the-oldest', 0, /^window-of-the-oldest +breaks limit\.newest-150: /m],
    // A question has one case, which is explained in full.
    ['explain quantity-zero', 0, 'It answers the question quantity-zero'],
  ],
  'doctor checks the reference deployment by default': [['doctor', 0, /^([\s\S]* fine ){6}/, { env: {} }]],
};

for (const [title, rows] of Object.entries(tables))
  test(title, async () => {
    for (const [command, status, says, { env = credentialVariables, folder = '.' } = {}] of rows) {
      const result = await runConformanceInProcess(split(command), { cwd: path.join(cwd, folder), env });
      expect.soft(result.status, `${command}\n${result.output}`).toBe(status);
      for (const text of [says].flat())
        if (typeof text === 'string') expect.soft(result.output, command).toContain(text);
        else expect.soft(result.output, command).toMatch(text);
    }
  });

/** What a variable may be, or what `--target` may name; and what each state is called in the table of docs/which-deployment.md. */
const urls = { unset: undefined, empty: '', set: nowhere };
const targets = { none: undefined, empty: '', bare: 'bare.yaml', named: 'named.yaml', variable: 'variable.yaml' };
const secrets = {
  none: {},
  empty: { CLIENT_APPLICATION_ID: '', CLIENT_TOKEN: '' },
  one: { CLIENT_TOKEN: 'a-token' },
};

const outcomes = ['reference', 'refused', 'deployment'] as const;
type Outcome = (typeof outcomes)[number];

/** The lines of that table: the states that each is about, and what happens. */
const lines = readFileSync(path.join(packageRoot, 'docs', 'which-deployment.md'), 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .flatMap(([, url = '', target = '', secret = '', outcome = '']) => {
    const stated = outcomes.find((name) => name === outcome);
    return stated === undefined ? [] : [{ cells: [url, target, secret], outcome: stated }];
  });

/** What happens by the first line of the table that fits. */
function findOutcome(...state: readonly string[]): Outcome {
  const fits = ({ cells }: (typeof lines)[number]) =>
    cells.every((cell, n) => cell === 'any' || cell.split(' or ').includes(state[n] ?? ''));
  const found = lines.find(fits);
  if (found === undefined) throw new Error(`No line is about ${state.join(', ')}.`);
  return found.outcome;
}

/** Every combination, in which nothing but the first may come to the reference deployment. */
const states = Object.entries(urls).flatMap(([url, BASE_URL]) =>
  Object.entries(targets).flatMap(([target, TARGET]) =>
    Object.entries({ ...secrets, both: credentialVariables }).map(([secret, variables]) => {
      const outcome = findOutcome(url, target, secret);
      const set = Object.entries({ BASE_URL, TARGET, ...variables }).filter((entry) => entry[1] !== undefined);
      return { what: `${url} ${target} ${secret}`, env: Object.fromEntries(set) as Record<string, string>, outcome };
    }),
  ),
);

test('Variables that switch colors off and on never lead to a warning of Node.js', async () => {
  const settings: Record<string, string>[] = [{}, { FORCE_COLOR: '1' }, { FORCE_COLOR: '1', NODE_DISABLE_COLORS: '1' }];
  // The helper sets NO_COLOR in each.
  for (const env of settings) {
    const { status, output } = await runConformance(['certify', '--reference', '--only', 'integer-quantity'], {
      cwd,
      env,
    });
    expect(status, output).toBe(0);
    expect(output).not.toContain('Warning');
  }
});

test('Only without any setting is the reference deployment certified, and only a known address with credentials is', () => {
  const ofOutcome = (wanted: Outcome) => states.filter(({ outcome }) => outcome === wanted).map(({ what }) => what);
  expect(ofOutcome('reference')).toEqual(['unset none none']);
  expect(ofOutcome('deployment').length).toBeGreaterThan(0);
  for (const what of ofOutcome('deployment')) expect(what).toMatch(/^(?:set \w+|\w+ named) both$/);
});

const isOfReference = (output: string) => output.includes(referenceNotice);

for (const command of [['certify', '--dry-run'], ['doctor']]) {
  test(`${command.join(' ')}: ${states.length} states of the settings that name a deployment`, async () => {
    const wrong: string[] = [];
    for (const { what, env, outcome } of states) {
      const { status, output } = await runConformanceInProcess(command, { cwd, env });
      const expected =
        outcome === 'refused'
          ? status === 2 && /BASE_URL|is not set/.test(output) && !isOfReference(output)
          : outcome === 'reference'
            ? status === 0 && isOfReference(output)
            : !isOfReference(output) && status === (command[0] === 'doctor' ? 1 : 0);
      if (!expected) wrong.push(`${what}: not ${outcome}, but ${status}: ${output.slice(0, 200)}`);
    }
    expect(wrong).toEqual([]);
  });
}

test('Plain `playwright test` refuses what `certify` refuses', async () => {
  const config = path.join(packageRoot, 'dist', 'bundle', 'playwright.config.js');
  const { status, output } = await runConformance(['test', '--config', config], {
    cwd,
    // By itself, Playwright compiles what is compiled already, which takes a second and spoils the counts of coverage.
    env: { BASE_URL: '', NODE_V8_COVERAGE: '', PW_DISABLE_TS_ESM: '1' },
    script: path.join(packageRoot, 'node_modules', '@playwright', 'test', 'cli.js'),
  });
  expect(status).not.toBe(0);
  expect(output).toMatch(/^BASE_URL: is empty, and nothing else names a deployment\n {4}Set BASE_URL/m);
  expect(output).not.toContain('problems');
});
