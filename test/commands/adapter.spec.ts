import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { certify } from '../../src/api.js';
import { parseArchive } from '../../src/certificate/har-archive.js';
import { createAdaptedChannel } from '../../src/http/adapted-channel.js';
import { startAdapter } from '../../src/http/adapter-thread.js';
import type { Exchange, HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { packageRoot } from '../../src/support/package-root.js';
import { UnusableInput } from '../../src/support/problem.js';
import { loadValidator } from '../../src/support/schema-validation.js';
import {
  credentialVariables as env,
  loadCertificate,
  makeTestFolder,
  runConformance,
  runConformanceInProcess,
} from '../support/cli.js';
import { type Answer, certifyOver, channelTo, createReference, suite } from '../support/in-process.js';
import { listen } from '../support/independent-deployment.js';

const cwd = makeTestFolder();

const identity = `export default {
  toRequest: ({ method, path, headers, body }) => ({ method, path, headers, ...(body === undefined ? {} : { body }) }),
  toResponse: ([response]) => response,
};
`;

function writeAdapter(name: string, code: string, baseUrl = 'http://127.0.0.1:1'): { file: string; target: string } {
  writeFileSync(path.join(cwd, `${name}.mjs`), code);
  writeFileSync(path.join(cwd, `${name}.yaml`), `name: ${name}\nbase_url: ${baseUrl}\nadapter: ./${name}.mjs\n`);
  return { file: path.join(cwd, `${name}.mjs`), target: path.join(cwd, `${name}.yaml`) };
}

/** @param timeoutMs long enough for a busy machine, if not stated */
function start(name: string, code: string, timeoutMs = 120_000) {
  const shown = `${name}.mjs`;
  return startAdapter({ file: writeAdapter(name, code).file, shown }, (text) => text, timeoutMs);
}

const request: HttpRequest = { method: 'GET', path: '/v1/promotions/validation', headers: [], body: '{}' };
const response: HttpResponse = { status: 200, headers: [], body: '{"promotions":[]}' };

const adapterOf = (members: string) => `export default {\n  ${members}\n};`;
const requesting = (code: string) => adapterOf(`toRequest${code},\n  toResponse() {},`);

test('Through an identity adapter, deployments get the certificates of runs without one', async () => {
  const adapter = start('identity', identity);
  for (const chosen of [[], ['window-of-149']]) {
    const direct = await certifyOver(channelTo(createReference({ faults: chosen })), suite);
    const adapted = await certifyOver(
      createAdaptedChannel(channelTo(createReference({ faults: chosen })), adapter),
      suite,
    );
    expect(adapted.certificate).toEqual(direct.certificate);
  }
  await adapter.close();
});

test('Pages are requested one after another, at most 20, and all of them are evidence', async () => {
  const adapter = start(
    'pages',
    `const page = (n) => ({ method: 'POST', path: '/page/' + n, headers: [['X-Client-Token', '$CLIENT_TOKEN']] });
export default {
  toRequest: () => page(1),
  nextRequest: (responses) => (responses.at(-1).body === 'more' ? page(responses.length + 1) : undefined),
  toResponse: (responses) => ({ status: 200, headers: [], body: responses.map(({ body }) => body).join() }),
};`,
  );
  const send = (pages: number) =>
    createAdaptedChannel(
      channelTo(({ path }) => ({ ...response, body: path === `/page/${pages}` ? 'end' : 'more' })),
      adapter,
    ).send({ ...request, again: 2 });
  const three = await send(3);
  expect(three).toMatchObject({ request, attempts: 3, response: { body: 'more,more,end' } });
  expect(three.wire?.map((each) => [each.request.path, each.request.again])).toEqual([
    ['/page/1', 2],
    ['/page/2', 2],
    ['/page/3', 2],
  ]);
  expect(await send(20)).toHaveProperty('response');
  expect(await send(21)).toMatchObject({ transportError: 'too-large', attempts: 20 });
  await adapter.close();
});

test('A response that says nothing about the request never reaches the adapter', async () => {
  const adapter = start('empty', requesting(": () => ({ method: 'POST', path: '/', headers: [] })"));
  const late = { transportError: 'timed-out', message: 'late' } as const;
  for (const answer of [{ response: { ...response, status: 503 } }, late]) {
    const send = async (each: HttpRequest): Promise<Exchange> => ({ request: each, ...answer });
    const exchange = await createAdaptedChannel({ ...channelTo(() => response), send }, adapter).send(request);
    expect(exchange).toMatchObject({ request, ...answer, wire: [answer] });
  }
  await adapter.close();
});

const bad: readonly (readonly [what: string, code: string, at: string, message: string])[] = [
  ['throws', requesting('() {\n    throw new Error("no such field");\n  }'), 'throws.mjs:3:11', 'no such field'],
  ['throws in a promise', requesting(': async () => {\n    null.x;\n  }'), ':3:', 'reading'],
  ['returns nonsense', requesting(': () => 42'), ':2:3', 'toRequest returned 42'],
  ['returns a function', requesting(': () => () => 1'), ':2:3', 'could not be cloned'],
  [
    'splits a header',
    requesting(": () => ({ method: 'GET', path: '/', headers: [['A', 'b\\r\\nC: d']] })"),
    ':2:3',
    'toRequest returned',
  ],
  [
    'returns nonsense as a response',
    adapterOf(
      "toRequest: () => ({ method: 'GET', path: '/', headers: [] }),\n  toResponse: () => ({ status: '200' }),",
    ),
    ':3:3',
    'toResponse returned',
  ],
  ['loops forever', requesting('() {\n    for (;;);\n  }'), ':2:3', 'did not return within'],
  ['waits forever', requesting(': () => new Promise(() => undefined)'), ':2:3', 'did not return within'],
  ['exits', requesting(': () => process.exit(0)'), ':2:3', 'ended its thread'],
  ['has a syntax error', adapterOf('toRequest() {},\n  toResponse() {};'), ':3:', 'Unexpected'],
  ['has no default export', 'export function toRequest() {}', ':1:1', 'It has nothing'],
  ['has a misspelt function', adapterOf('toRequest() {}, nextReqest() {}, toResponse() {},'), ':1:1', 'nextReqest'],
  ['lacks a function', adapterOf('toRequest() {},'), ':1:1', 'It has toRequest'],
  [
    'never finishes loading',
    'await new Promise(() => undefined); export default {};',
    ':1:1',
    'did not return within 10 seconds',
  ],
];

for (const [what, code, at, message] of bad)
  test(`An adapter that ${what} is a problem with its line, and everything after it is not sent`, {
    tag: message.includes('10 seconds') ? ['@long'] : [],
  }, async () => {
    // A function that never returns does not return within any time. All others are waited for.
    const timeoutMs = message === 'did not return within' ? 500 : 10_000;
    const adapter = start(what.replaceAll(' ', '-'), code, timeoutMs);
    let sent = 0;
    const channel = createAdaptedChannel(
      channelTo(() => {
        sent += 1;
        return response;
      }),
      adapter,
    );
    expect(await channel.send(request)).toMatchObject({ transportError: 'not-sent', attempts: 0 });
    const before = sent;
    await channel.send(request);
    expect(sent).toBe(before);
    const text = await adapter.close().catch(({ message }) => message);
    expect(text).toContain(message);
    expect(text.split('\n')[0]).toContain(at);
  });

test('What an adapter cannot express is not applicable, and the certificate incomplete', async () => {
  const adapter = start(
    'partly',
    `export default {
  toRequest: ({ method, path, headers, body = '' }, { unsupported }) =>
    path.includes('promotion_id') ? unsupported('no filter by campaign') : { method, path, headers, body },
  toResponse: ([response]) => response,
};`,
  );
  const { certificate } = await certifyOver(createAdaptedChannel(channelTo(createReference()), adapter), suite);
  await adapter.close();
  expect(certificate.verdict).toBe('incomplete');
  expect(certificate.incomplete_because?.join()).toContain('no filter by campaign');
  expect(certificate.summary.fail).toBeUndefined();
  const cases = certificate.requirements.flatMap((each) => each.cases);
  expect(cases.filter(({ verdict }) => verdict === 'not-applicable').length).toBeGreaterThan(0);
  expect(cases.filter(({ verdict }) => verdict === 'pass').length).toBeGreaterThan(50);
});

test.describe('on the command line', () => {
  let reference: Awaited<ReturnType<typeof listen>>;
  test.beforeAll(async () => {
    reference = await listen(createReference({ credentials: referenceCredentials }));
  });
  test.afterAll(() => reference.close());

  test('A run names the adapter everywhere, keeps what went over the wire, and can be verified and replayed', {
    tag: '@long',
  }, async () => {
    const printing = `export default {
  toRequest({ method, path, headers, body }) {
    console.log('printed', headers.join(), process.env.CLIENT_TOKEN);
    return { method, path, headers, body };
  },
  toResponse: ([response]) => response,
};`;
    const { target } = writeAdapter('named', printing, reference.url);
    const args = ['certify', '--target', target, '--only', 'limit.newest-150', '--out', 'named'];
    const { status, output } = await runConformance(args, { cwd, env });
    expect(status, output).toBe(0);
    expect(output).toContain('printed');
    expect(output).not.toContain(env.CLIENT_TOKEN);
    const folder = path.join(cwd, 'named');
    const certificate = loadCertificate(cwd, 'named');
    expect(certificate.target.adapter?.name).toBe('named.mjs');
    for (const file of ['certificate.html', 'summary.md'])
      expect(readFileSync(path.join(folder, file), 'utf8'), file).toContain('hrough an adapter');
    expect(loadValidator('evidence')(JSON.parse(readFileSync(path.join(folder, 'evidence.har'), 'utf8')))).toBe(true);
    const { evidence } = parseArchive(readFileSync(path.join(folder, 'evidence.har')), 'evidence.har');
    for (const { exchange } of evidence.exchanges) {
      expect(exchange.wire).toHaveLength(1);
      const [sent] = exchange.wire ?? [];
      expect(exchange).toMatchObject({ response: sent !== undefined && 'response' in sent ? sent.response : {} });
    }
    const verify = await runConformanceInProcess(['verify', path.join(folder, 'certificate.json')], { cwd });
    expect(verify.status, verify.output).toBe(0);
    const replayed = ['certify', '--replay', path.join(folder, 'evidence.har'), '--out', 'replayed'];
    const replay = await runConformance(replayed, { cwd });
    expect(replay.status, replay.output).toBe(0);
    expect(loadCertificate(cwd, 'replayed').target).toEqual(certificate.target);
  });

  test('doctor and --dry-run show the adapted request', async () => {
    const code = identity.replace('({ method, path, headers, ...', "({ method, path: path + '#adapted', headers, ...");
    const { target } = writeAdapter('shown', code, reference.url);
    const args = ['certify', '--target', target, '--dry-run', '--only', 'limit.newest-150'];
    const dry = await runConformanceInProcess(args, { cwd, env });
    expect(dry.output).toContain('#adapted');
    const doctor = await runConformanceInProcess(['doctor', '--target', target], { cwd, env });
    expect(doctor.output).toContain('#adapted');
  });

  test('An adapter that fails ends the run with status 2, and no verdict is valid', async () => {
    const failing = `if ((count += 1) > 20) throw new Error('unreadable ${env.CLIENT_TOKEN}');`;
    const toResponse = `([response]) => {\n    ${failing}\n    return response;\n  }`;
    const code = `let count = 0;\n${identity.replace('([response]) => response', () => toResponse)}`;
    const { target } = writeAdapter('failing', code, reference.url);
    const args = ['certify', '--target', target, '--only', 'limit.newest-150', '--out', 'failing'];
    const { status, output } = await runConformance(args, { cwd, env });
    expect(status, output).toBe(2);
    expect(output).toContain('failing.mjs:5:');
    expect(output).toContain('unreadable $CLIENT_TOKEN');
    const { verdict, requirements } = loadCertificate(cwd, 'failing');
    expect(verdict).toBe('incomplete');
    expect(requirements.filter(({ cases }) => cases.some((entry) => entry.verdict === 'pass'))).toEqual([]);
  });

  test('An adapter cannot be combined with another method or path, and must be readable', async () => {
    const { target } = writeAdapter('both', identity, reference.url);
    writeFileSync(target, `${readFileSync(target, 'utf8')}operation: { method: POST }\n`);
    const both = await runConformanceInProcess(['certify', '--target', target, '--dry-run'], { cwd, env });
    expect(both).toMatchObject({ status: 2, output: expect.stringContaining("cannot be combined with 'adapter'") });
    writeFileSync(target, `name: missing\nbase_url: ${reference.url}\nadapter: ./missing.mjs\n`);
    const missing = await runConformanceInProcess(['certify', '--target', target, '--dry-run'], { cwd, env });
    expect(missing).toMatchObject({ status: 2, output: expect.stringContaining("'./missing.mjs' cannot be read") });
  });
});

test('A program certifies through an adapter, and gets its problem as an error', async () => {
  const deployment = createReference();
  const { target } = writeAdapter('program', identity);
  const credentials = { applicationId: 'the-application', token: 'the-token-of-a-program' };
  const only = ['limit.newest-150'];
  const options = { target, credentials, only, baseUrl: 'http://localhost' };
  const transport = (each: HttpRequest) =>
    deployment({
      ...each,
      headers: [
        ['X-Client-Application-Id', '$CLIENT_APPLICATION_ID'],
        ['X-Client-Token', '$CLIENT_TOKEN'],
        ['Content-Type', 'application/json'],
      ],
    });
  const certificate = await certify(transport, options);
  expect(certificate.selected?.verdict).toBe('conforms');
  expect(certificate.target.adapter?.name).toBe('program.mjs');
  const { target: unusable } = writeAdapter('unusable', identity.replace('[response]', '[{ nothing: { x } }]'));
  await expect(certify(transport, { ...options, target: unusable })).rejects.toThrow(UnusableInput);
});

test('The examples of the documentation have the right types and run', { tag: '@long' }, async () => {
  mkdirSync(path.join(cwd, 'node_modules'));
  symlinkSync(packageRoot, path.join(cwd, 'node_modules', 'promotion-validation-conformance'));
  const docs = readFileSync(path.join(packageRoot, 'docs', 'adapters.md'), 'utf8');
  const source = readFileSync(path.join(packageRoot, 'dist', 'src', 'http', 'adapter.d.ts'), 'utf8');
  const [, inDocs = ''] = /```ts\n([\s\S]*?)```/.exec(docs) ?? [];
  const [, inDocstring = ''] = /@example\n([\s\S]*?satisfies Adapter;)/.exec(source) ?? [];
  const importLine = "import type { Adapter } from 'promotion-validation-conformance';\n";
  writeFileSync(path.join(cwd, 'page.mts'), inDocs);
  writeFileSync(path.join(cwd, 'docstring.mts'), importLine + inDocstring.replaceAll(/^ \* ?/gm, ''));
  const tsc = path.join(packageRoot, 'node_modules', '.bin', 'tsc');
  const options = [...'--strict --target es2023 --module nodenext --types'.split(' '), ''];
  expect(execFileSync(tsc, [...options, 'page.mts', 'docstring.mts'], { cwd, encoding: 'utf8' })).toBe('');
  const send = async (name: string, answer: Answer) => {
    const adapter = start(name, readFileSync(path.join(cwd, `${name}.mjs`), 'utf8'));
    const exchange = await createAdaptedChannel(channelTo(answer), adapter).send(request);
    await adapter.close();
    return exchange;
  };
  expect(await send('docstring', () => response)).toMatchObject({ response, wire: [{ request: { method: 'POST' } }] });
  const answerPage = ({ body = '' }: HttpRequest) => {
    const { after } = JSON.parse(body);
    return { ...response, body: JSON.stringify(after === undefined ? { data: [1], next: 'a' } : { data: [2] }) };
  };
  expect(await send('page', answerPage)).toMatchObject({ response: { body: '{"promotions":[1,2]}' } });
});
