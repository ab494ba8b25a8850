/** What a user writes is read in each encoding, or refused with its place: a run must not certify another deployment instead. */

import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { referenceNotice } from '../../src/certificate/notices.js';
import { loadRunInputs } from '../../src/config/run-inputs.js';
import { findUnreplacedVariable } from '../../src/config/unreplaced-variable.js';
import { pickWorldLists } from '../../src/contract/world.js';
import { loadWorld } from '../../src/contract/world-file.js';
import { packageRoot } from '../../src/support/package-root.js';
import { UnusableInput } from '../../src/support/problem.js';
import { decodeText } from '../../src/support/text-file.js';
import { checkEachRow } from '../support/check-each-row.js';
import {
  commandLine,
  credentialVariables,
  makeTestFolder,
  runConformance,
  runConformanceInProcess,
} from '../support/cli.js';
import { suite } from '../support/in-process.js';

const nowhere = 'http://127.0.0.1:2';
const named = `Target 127.0.0.1:2: ${nowhere}\n`;

/** How an editor or a shell writes a text. */
const encodings: Readonly<Record<string, (text: string) => Buffer>> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-8 with a byte order mark': (text) => Buffer.from(`\ufeff${text}`),
  'UTF-16LE with a byte order mark': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'UTF-16BE with a byte order mark': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
};
const lineEnds = { LF: '\n', CRLF: '\r\n', CR: '\r' };

test('A text is read by its byte order mark, and without one as UTF-8', () => {
  for (const [name, encode] of Object.entries(encodings)) expect(decodeText(encode('a: ä☃\n')), name).toBe('a: ä☃\n');
  expect(decodeText(Buffer.from([]))).toBe('');
  expect(decodeText(Buffer.from([0xff]))).toBe('\ufffd');
});

// .env ----------------------------------------------------------------------------------------------------------------

/** A process loads equal inputs once. */
const makeUnique = (env: Record<string, string>) => ({ ...env, RUN: randomUUID() });

const plan = async (env: string | Buffer | undefined, variables: Record<string, string> = {}, ...args: string[]) => {
  const cwd = makeTestFolder();
  if (env !== undefined) writeFileSync(path.join(cwd, '.env'), env);
  writeFileSync(path.join(cwd, 'target.yaml'), `name: shop\nbase_url: ${nowhere}\n`);
  return await runConformanceInProcess(['certify', '--dry-run', ...args], { cwd, env: makeUnique(variables) });
};

const lines = Object.entries({ BASE_URL: nowhere, ...credentialVariables });
const styles: Readonly<Record<string, (name: string, value: string) => string>> = {
  'as it is': (name, value) => `${name}=${value}`,
  'with export': (name, value) => `export ${name}=${value}`,
  'with spaces': (name, value) => `  ${name} = ${value}  `,
  'in quotes': (name, value) => `${name}="${value}"`,
  'in single quotes with a comment': (name, value) => `${name}='${value}' # a comment`,
};

const lineEndsByEncoding = Object.keys(encodings).flatMap((encoding) =>
  Object.keys(lineEnds).map((lineEnd) => ({ encoding, lineEnd })),
);

/** Expects that a run is planned with the settings of a .env file. */
async function checkEnvFile(encoding: string, lineEnd: string, style: string): Promise<void> {
  const write = styles[style] as (typeof styles)[string];
  const end = lineEnds[lineEnd as keyof typeof lineEnds];
  const text = ['# Ours', '', ...lines.map(([name, value]) => write(name, value)), ''].join(end);
  const { status, output } = await plan(encodings[encoding]?.(text));
  expect([status, output], `${encoding}, ${lineEnd}, ${style}`).toEqual([0, expect.stringContaining(named)]);
}

test('A .env file is read in each encoding, with each line end, in each style', async () => {
  const names = Object.keys(styles);
  for (const [n, { encoding, lineEnd }] of lineEndsByEncoding.entries())
    await checkEnvFile(encoding, lineEnd, names[n % names.length] as string);
});

test('A .env file is read in each style, whatever its encoding and its line ends', { tag: '@long' }, async () => {
  for (const { encoding, lineEnd } of lineEndsByEncoding)
    for (const style of Object.keys(styles)) await checkEnvFile(encoding, lineEnd, style);
});

const others = 'DATABASE_URL=postgres://shop\n';
/** The content of the file, and the first line of the message. Without one, the run is planned. */
const envFiles: readonly (readonly [what: string, text: string | Buffer, says?: string])[] = [
  ['set', `set BASE_URL=${nowhere}\n`, '.env:1:1: the line does not set BASE_URL'],
  ['set in upper case', `SET BASE_URL=${nowhere}\n`, '.env:1:1: the line does not set BASE_URL'],
  ['PowerShell', `${others}$env:BASE_URL = "${nowhere}"\n`, '.env:2:1: the line does not set BASE_URL'],
  ['PowerShell without spaces', `$Env:CLIENT_TOKEN="x"\n`, '.env:1:1: the line does not set CLIENT_TOKEN'],
  ['set beside others', `${others}\nset base_url=${nowhere}\n`, '.env:3:1: the line does not set BASE_URL'],
  ['setx', 'setx CLIENT_APPLICATION_ID x', '.env:1:1: the line does not set CLIENT_APPLICATION_ID'],
  ['JSON', `{ "BASE_URL": "${nowhere}" }`, '.env:1:1: the line does not set BASE_URL'],
  ['a list', `- BASE_URL=${nowhere}`, '.env:1:1: the line does not set BASE_URL'],
  ['no value', `${others}BASE_URL ${nowhere}`, '.env:2:1: the line does not set BASE_URL'],
  [
    'UTF-16 without a mark',
    Buffer.from(`BASE_URL=${nowhere}\n`, 'utf16le'),
    '.env:1:1: the file is not empty, but sets',
  ],
  ['only a comment', '\n# BASE_URL=x\n', '.env:2:1: the file is not empty, but sets no variable'],
  ['something else', 'hello world\n', '.env:1:1: the file is not empty, but sets no variable'],
  ['no underscore', `BASEURL=${nowhere}`, 'BASE_URL: '],
  ['lower case', `${others}base_url=${nowhere}`, ".env:2:1: 'base_url' is not read: the variable is called BASE_URL"],
  ['a hyphen', `BASE-URL=${nowhere}`, ".env:1:1: 'BASE-URL' is not read: the variable is called BASE_URL"],
  ['another letter', `BASE_URI=${nowhere}`, ".env:1:1: 'BASE_URI' is not read: the variable is called BASE_URL"],
  ['a target', 'target=target.yaml', ".env:1:1: 'target' is not read: the variable is called TARGET"],
  ['a token', 'ClientToken=x', ".env:1:1: 'ClientToken' is not read: the variable is called CLIENT_TOKEN"],
  ['nothing at all', ''],
  ['blank lines', '\n \r\n\t\n'],
  ['others', others],
  ['others with long values', `KEY="-----BEGIN KEY-----\nset BASE_URL here\n-----END KEY-----"\n${others}`],
  ['others and a comment about ours', `${others}# set BASE_URL=x\n`],
  ['others that are a little alike', 'DATABASE_URL=x\nBASE_PATH=/\nTARGET_DIR=dist\nTOKEN=y\n'],
];

test('A .env file that sets nothing, or in another notation, is refused with its line', async () => {
  for (const [what, text, says] of envFiles) {
    const { status, output } = await plan(text);
    if (says === undefined) expect.soft([status, output], what).toEqual([0, expect.stringContaining(referenceNotice)]);
    else expect.soft([status, output], what).toEqual([2, expect.stringContaining(says)]);
    // The value may be a secret.
    if (says !== undefined) expect.soft(output, what).not.toContain(nowhere);
  }
});

test('What a .env file has instead of a missing variable is named, and nothing if none is missing', async () => {
  const missing = await plan(`BASE_URL=${nowhere}\nCLIENT_APPLICATION_ID=an-application\nCLIENT_TOKN=a-token\n`);
  expect(missing.output).toContain('CLIENT_TOKEN: is not set, but the target needs it');
  expect(missing.output).toContain(".env:3:1: 'CLIENT_TOKN'");
  expect(missing.status).toBe(2);
  const complete = await plan('BASE_URI=x\nTARGETS=y\n', { BASE_URL: nowhere, ...credentialVariables });
  expect([complete.status, complete.output]).toEqual([0, expect.stringContaining(named)]);
});

test('A folder in the place of .env is named where no deployment is, and is no error elsewhere', async () => {
  const cwd = makeTestFolder();
  mkdirSync(path.join(cwd, '.env'));
  const run = (env: Record<string, string>) =>
    runConformanceInProcess(['certify', '--dry-run'], { cwd, env: makeUnique(env) });
  expect(await run({})).toEqual({ status: 2, output: expect.stringContaining('.env:1:1: is a folder') });
  const stated = await run({ BASE_URL: nowhere, ...credentialVariables });
  expect([stated.status, stated.output]).toEqual([0, expect.stringContaining(named)]);
});

test('Without need of a .env file, none is refused: --reference, and commands that send nothing', async () => {
  const cwd = makeTestFolder();
  writeFileSync(path.join(cwd, '.env'), 'set BASE_URL=x');
  for (const args of [['certify', '--dry-run', '--reference'], ['list', 'groups'], ['world']])
    expect((await runConformanceInProcess(args, { cwd })).status, args.join(' ')).toBe(0);
});

// Files that a target file or a flag names ----------------------------------------------------------------------------

const { ids } = loadWorld();
const world = pickWorldLists(suite.world);
const ownCases = path.join(packageRoot, 'test', 'support', 'own-cases');
const userFiles: Readonly<Record<string, string>> = {
  'target.yaml': `# Für uns\nname: shop\nbase_url: ${nowhere}\nbindings: ids.yaml\ncases: cases\nrecord: record.yaml\nknown: known.yaml\n`,
  'ids.yaml': `${ids.customer.get('ann')}: änn\n`,
  'cases/mugs.yaml': readFileSync(path.join(ownCases, 'deeper', 'mugs.yaml'), 'utf8'),
  'cases/requests.yaml': readFileSync(path.join(ownCases, 'requests.yaml'), 'utf8'),
  'record.yaml': `target: shop\nsuite: { name: a, version: 1.0.0, digest: sha256:1 }\nquestions: {}\n`,
  'known.yaml': 'deviations:\n  - requirement: order.quantity\n    cause: quantity-ignored\n    reason: ä\n',
  'data.json': JSON.stringify({ ...world, tiers: world.tiers.slice(0, 10) }, null, 1),
  'data.yaml': `name: shop\nbase_url: ${nowhere}\ndata: data.json\n`,
};

test('Each file of a user is read in each encoding', async () => {
  const planAll = async (encode: (text: string) => Buffer, end: string) => {
    const cwd = makeTestFolder();
    mkdirSync(path.join(cwd, 'cases'));
    for (const [name, text] of Object.entries(userFiles))
      writeFileSync(path.join(cwd, name), encode(text.replaceAll('\n', end)));
    const plans = ['target.yaml', 'data.yaml'].map((target) => ['certify', '--dry-run', '--target', target]);
    const outputs = [];
    for (const args of plans)
      outputs.push(await runConformanceInProcess(args, { cwd, env: makeUnique(credentialVariables) }));
    return outputs;
  };
  const expected = await planAll((text) => Buffer.from(text), '\n');
  expect(expected.map(({ status }) => status)).toEqual([0, 0]);
  // The .env file has each encoding with each line end.
  for (const [n, [encoding, encode]] of Object.entries(encodings).entries())
    expect(await planAll(encode, n % 2 === 0 ? '\r\n' : '\n'), encoding).toEqual(expected);
});

const emptyTexts = ['# Nothing yet\n', '\n\n', ''];

test('A file that names nothing is refused with its place', async () => {
  const cwd = makeTestFolder();
  mkdirSync(path.join(cwd, 'cases'));
  for (const [name, text] of Object.entries(userFiles)) writeFileSync(path.join(cwd, name), text);
  for (const [n, [name, original]] of Object.entries(userFiles).entries()) {
    // All files are read by one function.
    const text = emptyTexts[n % emptyTexts.length] as string;
    writeFileSync(path.join(cwd, name), text);
    const target = name.startsWith('data') ? 'data.yaml' : 'target.yaml';
    const args = ['certify', '--dry-run', '--target', target];
    const { status, output } = await runConformanceInProcess(args, { cwd, env: makeUnique(credentialVariables) });
    const place = `${name}: ${JSON.stringify(text)}\n${output}`;
    expect.soft([status, output], place).toEqual([2, expect.stringContaining(`${name}:1:1: `)]);
    writeFileSync(path.join(cwd, name), original);
  }
});

// Values --------------------------------------------------------------------------------------------------------------

const environment = { BASE_URL: nowhere, CLIENT_APPLICATION_ID: 'an-application', CLIENT_TOKEN: 'a-token-4711' };
const target = path.join(makeTestFolder(), 'target.yaml');
const load = (text: string, variables: Record<string, string> = {}) => {
  writeFileSync(target, `name: shop\n${text}`);
  const all = { ...environment, ...variables };
  return loadRunInputs({ target, baseUrl: all.BASE_URL }, all);
};
const listProblems = (run: () => unknown) => {
  try {
    run();
    return [];
  } catch (error) {
    if (!(error instanceof UnusableInput)) throw error;
    return error.problems.map(({ at, message }) => `${'setting' in at ? at.setting : at.line}: ${message}`);
  }
};

test('White space around a value is not sent: a secret from a file ends with a line end', () => {
  for (const around of ['\n', '\r\n', '\n\n', ' ', '\t', ' \r\n'])
    for (const wrap of [(text: string) => text + around, (text: string) => around + text]) {
      const values = { ...environment, GATEWAY_KEY: 'the-key-0815', OWN_PROXY: 'http://me:a-password@proxy.test' };
      const wrapped = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, wrap(value)]));
      const { connection } = load('headers: { X-Key: $GATEWAY_KEY, X-Plain: "a\\t" }\nproxy: $OWN_PROXY', wrapped);
      expect(connection.endpoint).toEqual({
        baseUrl: nowhere,
        credentials: { applicationId: values.CLIENT_APPLICATION_ID, token: values.CLIENT_TOKEN },
      });
      expect(connection.options.extraHeaders).toContainEqual(['X-Plain', 'a']);
      expect(connection.options.proxy).toBe(values.OWN_PROXY);
      expect(connection.options.secrets?.map(({ value }) => value)).toEqual([values.GATEWAY_KEY, values.OWN_PROXY]);
    }
});

test('A long token is sent', () => {
  const CLIENT_TOKEN = 'eyJhbGciOi'.repeat(1_000);
  expect(load('', { CLIENT_TOKEN }).connection.endpoint?.credentials.token).toBe(CLIENT_TOKEN);
});

const unreplaced = [
  '$CLIENT_TOKEN',
  `\${CLIENT_TOKEN}`,
  `\${OTHER}-x`,
  `x-\${other}`,
  `\${{ secrets.TOKEN }}`,
  `\${{secrets.A}}`,
];
const unreplacedElsewhere = ['Bearer $TOKEN', 'a-$GATEWAY_TOKEN', '$(CLIENT_TOKEN)', '{{ token }}', '%CLIENT_TOKEN%'];
const unreplacedTemplates = ['<% token %>', '$env:CLIENT_TOKEN', `\${TOKEN:-none}`, `Bearer \${{ env.X }}`, '$A'];
const withVariables = [...unreplaced, ...unreplacedElsewhere, ...unreplacedTemplates];
const withoutVariables = [
  'pa$$wörd$1',
  '$ecret-4711',
  'a$B',
  'k3y$XY+9',
  '$2b$10$abcdefghij',
  '100%',
  '%41%42',
  '{a}',
  '$',
];

test('A variable that was not replaced is found, and a dollar sign in a token is none', () => {
  for (const value of withVariables) expect.soft(findUnreplacedVariable(value), value).toBeDefined();
  for (const value of withoutVariables) expect.soft(findUnreplacedVariable(value), value).toBeUndefined();
});

test('Credentials, headers and a base URL with a variable that was not replaced are refused, by name', () => {
  const message = 'contains a variable that was not replaced';
  for (const value of withVariables) {
    for (const name of ['CLIENT_TOKEN', 'CLIENT_APPLICATION_ID'])
      expect
        .soft(
          listProblems(() => load('', { [name]: value })),
          value,
        )
        .toEqual([`${name}: ${message}`]);
    const ofHeader = listProblems(() => load('headers: { X-Key: $GATEWAY_KEY }', { GATEWAY_KEY: value }));
    expect.soft(ofHeader, value).toEqual([`GATEWAY_KEY: ${message}`]);
    const literal = listProblems(() => load(`headers: { X-Key: '${value}' }`, { CLIENT_TOKEN: 'a-token-4711' }));
    // One that is the whole value is a reference.
    if (!/^\$\w+$/.test(value)) expect.soft(literal, value).toEqual([expect.stringMatching(/^2: .* variable$/)]);
  }
  for (const value of withoutVariables)
    expect
      .soft(
        listProblems(() => load('', { CLIENT_TOKEN: value })),
        value,
      )
      .toEqual([]);
  for (const host of [
    `https://\${HOST}/api`,
    `https://a.test/\${TENANT}`,
    'https://{{ host }}',
    'https://a.test/$API_PATH',
    'http://$HOST/api',
    'http://$host:8080',
    'https://a.test:$PORT/api',
    'https://%HOST%/api',
    'https://%BASE_URL%/api',
    'https://<host>/api',
    'https://a.test/{tenant}',
  ])
    expect
      .soft(
        listProblems(() => load('', { BASE_URL: host })),
        host,
      )
      .toEqual([`BASE_URL: ${message}`]);
  for (const host of ['https://a.test/caf%C3%A9/x', 'https://a.test/a$/1', 'https://a.test/100%25'])
    expect
      .soft(
        listProblems(() => load('', { BASE_URL: host })),
        host,
      )
      .toEqual([]);
  const inFile = (url: string) =>
    listProblems(() => loadRunInputs({ target: writeTarget(`base_url: ${url}\n`) }, environment));
  for (const url of [`https://\${HOST}/api`, 'https://a.test/$API_PATH', 'http://$HOST/api', 'http://<host>/api'])
    expect.soft(inFile(url), url).toEqual([`2: ${message}`]);
});

function writeTarget(text: string): string {
  writeFileSync(target, `name: shop\n${text}`);
  return target;
}

test('A variable that was not replaced is refused with its line in .env', async () => {
  const { status, output } = await plan(
    `BASE_URL=${nowhere}\nCLIENT_APPLICATION_ID=my-app\nCLIENT_TOKEN=$SHOP_TOKEN\n`,
  );
  expect([status, output]).toEqual([2, expect.stringContaining('.env:3:1: CLIENT_TOKEN ')]);
  const url = await plan(`BASE_URL=https://\${HOST}\nCLIENT_APPLICATION_ID=my-app\nCLIENT_TOKEN=a-token-4711\n`);
  expect([url.status, url.output]).toEqual([2, expect.stringContaining('.env:1:1: BASE_URL ')]);
});

test('A refused base URL does not show its query', () => {
  const refused = [
    'https://a.test/?key=hunter2',
    'a.test?hunter2',
    'https://a.test/#hunter2',
    '?hunter2',
    'htp://a.test?a=hunter2',
  ];
  for (const url of [...refused, 'https://a.test/x\n?hunter2']) {
    const problems = listProblems(() => load('', { BASE_URL: url }));
    expect.soft(problems, url).toEqual([expect.stringMatching(/^BASE_URL: /)]);
    expect.soft(problems.join(), url).not.toContain('hunter2');
  }
});

/** Each header, with a part of the reason; undefined for those that a target may set. */
const headerRows: readonly (readonly [name: string, reason: string | undefined])[] = [
  ...['Host', 'HOST'].map((name) => [name, 'comes from the base URL'] as const),
  ...['Connection', 'keep-alive', 'Proxy-Connection', 'Upgrade', 'HTTP2-Settings'].map(
    (name) => [name, 'belongs to the connection'] as const,
  ),
  ...['Content-Length', 'Content-Type', 'content-language', 'Content-Encoding', 'Content-MD5'].map(
    (name) => [name, 'describes the body'] as const,
  ),
  ...['Transfer-Encoding', 'TE', 'Trailer'].map((name) => [name, 'is framed'] as const),
  ['Expect', 'before it has the body'],
  ...['Proxy-Authorization', 'proxy-authenticate'].map((name) => [name, 'belongs to a proxy'] as const),
  ...['X-Client-Token', 'x-client-application-id'].map((name) => [name, 'is a credential'] as const),
  ...['Range', 'If-None-Match', 'If-Modified-Since', 'If-Match', 'If-Range'].map(
    (name) => [name, 'asks for a part'] as const,
  ),
  ...['X-HTTP-Method-Override', 'X-Method-Override', 'X-HTTP-Method'].map((name) => [name, 'the method'] as const),
  ...['Accept', 'Accept-Encoding', 'Accept-Language', 'Cache-Control', 'Date', 'Forwarded', 'Origin', 'Referer'].map(
    (name) => [name, undefined] as const,
  ),
  ...['User-Agent', 'Via', 'X-Api-Version', 'X-Client-Id', 'X-Content-Type', 'X-Forwarded-Host', 'X-Range'].map(
    (name) => [name, undefined] as const,
  ),
];

test('Headers that the client or a case sets are refused with their line and the reason', () =>
  checkEachRow(headerRows, (name, reason) => {
    for (const value of ['x', '$GATEWAY_KEY']) {
      const problems = listProblems(() =>
        load(`headers:\n  X-A: b\n  ${name}: ${value}`, { GATEWAY_KEY: 'a-key-0815' }),
      );
      if (reason === undefined) expect(problems).toEqual([]);
      else expect(problems).toEqual([expect.stringContaining(`4: the header '${name}' `)]);
      if (reason !== undefined) expect(problems[0]).toContain(reason);
    }
  }));

// Node.js -------------------------------------------------------------------------------------------------------------

test('An older Node.js ends with status 2 and the version that is needed', async () => {
  const cwd = makeTestFolder();
  const entry = commandLine;
  const script = path.join(cwd, 'older.mjs');
  for (const [version, status] of [
    ['18.20.8', 2],
    ['20.10.0', 2],
    ['20.18.9', 2],
    ['20.19.0', 0],
    ['22.0.0', 0],
    ['100.1.0', 0],
  ] as const) {
    writeFileSync(
      script,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });
       await import(${JSON.stringify(entry)});`,
    );
    const ended = await runConformance(['list', 'groups'], { cwd, script });
    expect([version, ended.status]).toEqual([version, status]);
    if (status === 2)
      expect(ended.output).toMatch(/^This is Node\.js [\d.]+, but the suite needs 20\.19 or newer\..*\n$/);
  }
});

test('What is loaded before the version is checked imports modules of Node.js alone', () => {
  const listImports = (file: string): string[] => {
    const text = readFileSync(file, 'utf8');
    const imported = Array.from(
      text.matchAll(/^(?:import|export) (?:[^;'"]*? from )?['"]([^'"]+)['"];$/gm),
      ([, name = '']) => name,
    );
    const ownModules = imported
      .filter((name) => name.startsWith('.'))
      .map((name) => path.join(path.dirname(file), name));
    return [...imported.filter((name) => !name.startsWith('.')), ...ownModules.flatMap(listImports)];
  };
  const imports = listImports(commandLine);
  expect(imports).toContain('node:fs');
  expect(imports.filter((name) => !name.startsWith('node:'))).toEqual([]);
});
