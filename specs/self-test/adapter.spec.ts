import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { createDeployment } from '../../reference/deployment.js';
import { faults } from '../../reference/faults/index.js';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { serveReference } from '../../reference/server.js';
import { certify } from '../../src/api.js';
import { createAdaptedChannel } from '../../src/http/adapted-channel.js';
import { startAdapter } from '../../src/http/adapter-thread.js';
import type { Exchange, HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { parseArchive } from '../../src/report/har-archive.js';
import { packageRoot } from '../../src/support/package-root.js';
import { UnusableInput } from '../../src/support/problem.js';
import { loadValidator } from '../../src/support/schema-validation.js';
import { createTemporaryFolder, loadCertificate, runConformance, runConformanceInProcess } from './support/cli.js';
import { certifyOver, channelTo, suite } from './support/in-process.js';

const { folder: cwd, remove } = createTemporaryFolder();
test.afterAll(remove);

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

function start(name: string, code: string, timeoutMs?: number) {
  const shown = `${name}.mjs`;
  return startAdapter({ file: writeAdapter(name, code).file, shown }, (text) => text, timeoutMs);
}

const request: HttpRequest = { method: 'GET', path: '/v1/promotions/validation', headers: [], body: '{}' };
const response: HttpResponse = { status: 200, headers: [], body: '{"promotions":[]}' };
const deploy = (options = {}) =>
  createDeployment({
    world: suite.world,
    credentials: { applicationId: '$CLIENT_APPLICATION_ID', token: '$CLIENT_TOKEN' },
    ...options,
  });

for (const [count, tag] of [
  [1, []],
  [20, ['@long']],
] as const)
  test(`Through an identity adapter, the reference and ${count} of the faults get the certificates of runs without one`, {
    tag: [...tag],
  }, async () => {
    const adapter = start('identity', identity);
    const some = faults.filter((_, n) => n % Math.floor(faults.length / count) === 0).slice(0, count);
    expect(some).toHaveLength(count);
    for (const chosen of [[], ...some.map((fault) => [fault])]) {
      const direct = await certifyOver(channelTo(deploy({ faults: chosen })), suite);
      const adapted = await certifyOver(createAdaptedChannel(channelTo(deploy({ faults: chosen })), adapter), suite);
      expect(adapted.certificate, chosen[0]?.id).toEqual(direct.certificate);
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
  const adapter = start(
    'empty',
    `export default { toRequest: () => ({ method: 'POST', path: '/', headers: [] }), toResponse: () => ({ status: 200, headers: [], body: '{}' }) };`,
  );
  const busy = await createAdaptedChannel(
    channelTo(() => ({ ...response, status: 503 })),
    adapter,
  ).send(request);
  expect(busy).toMatchObject({ response: { status: 503 } });
  const send = async (each: HttpRequest): Promise<Exchange> => ({
    request: each,
    transportError: 'timed-out',
    message: 'late',
  });
  const late = await createAdaptedChannel({ ...channelTo(() => response), send }, adapter).send(request);
  expect(late).toMatchObject({ request, transportError: 'timed-out', message: 'late', wire: [{}] });
  await adapter.close();
});

const bad = {
  throws: {
    code: 'export default {\n  toRequest() {\n    throw new Error("no such field");\n  },\n  toResponse() {},\n};',
    at: 'throws.mjs:3:11',
    message: 'no such field',
  },
  'throws in a promise': {
    code: 'export default {\n  async toRequest() {\n    null.x;\n  },\n  toResponse() {},\n};',
    at: ':3:',
    message: 'reading',
  },
  'returns nonsense': {
    code: 'export default {\n  toRequest: () => 42,\n  toResponse() {},\n};',
    at: ':2:3',
    message: 'toRequest returned 42',
  },
  'returns nothing': {
    code: 'export default {\n  toRequest() {},\n  toResponse() {},\n};',
    at: ':2:3',
    message: 'toRequest returned undefined',
  },
  'returns a function': {
    code: 'export default {\n  toRequest: () => () => 1,\n  toResponse() {},\n};',
    at: ':2:3',
    message: 'could not be cloned',
  },
  'splits a header': {
    code: "export default {\n  toRequest: () => ({ method: 'GET', path: '/', headers: [['A', 'b\\r\\nC: d']] }),\n  toResponse() {},\n};",
    at: ':2:3',
    message: 'toRequest returned',
  },
  'returns nonsense as a response': {
    code: "export default {\n  toRequest: () => ({ method: 'GET', path: '/', headers: [] }),\n  toResponse: () => ({ status: '200' }),\n};",
    at: ':3:3',
    message: 'toResponse returned',
  },
  'loops forever': {
    code: 'export default {\n  toRequest() {\n    for (;;);\n  },\n  toResponse() {},\n};',
    at: ':2:3',
    message: 'did not return within',
  },
  'waits forever': {
    code: 'export default {\n  toRequest: () => new Promise(() => undefined),\n  toResponse() {},\n};',
    at: ':2:3',
    message: 'did not return within',
  },
  exits: {
    code: 'export default {\n  toRequest: () => process.exit(0),\n  toResponse() {},\n};',
    at: ':2:3',
    message: 'ended its thread',
  },
  'has a syntax error': {
    code: 'export default {\n  toRequest() {},\n  toResponse() {};\n};',
    at: ':3:',
    message: 'Unexpected',
  },
  'has no default export': { code: 'export function toRequest() {}', at: ':1:1', message: 'no default export' },
  'lacks a function': { code: 'export default { toRequest() {} };', at: ':1:1', message: 'no function toResponse' },
  'has a misspelt function': {
    code: 'export default { toRequest() {}, nextReqest() {}, toResponse() {} };',
    at: ':1:1',
    message: "unknown member 'nextReqest'",
  },
  'has a misspelt function in place of a needed one': {
    code: 'export default { toRequest() {}, toResponce() {} };',
    at: ':1:1',
    message: "no function toResponse. It has an unknown member 'toResponce'",
  },
  'never finishes loading': {
    code: 'await new Promise(() => undefined); export default {};',
    at: ':1:1',
    message: 'did not return within 10 seconds',
  },
};

for (const [what, { code, at, message }] of Object.entries(bad))
  test(`An adapter that ${what} is a problem with its line, and everything after it is not sent`, {
    tag: message.includes('10 seconds') ? ['@long'] : [],
  }, async () => {
    // A function that never returns does not return within any time. All others are waited for.
    const timeoutMs = message === 'did not return within' ? 500 : undefined;
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
    const text = adapter.findFailure()?.message ?? '';
    expect(text).toContain(message);
    expect(text.split('\n')[0]).toContain(at);
    await adapter.close();
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
  const { certificate } = await certifyOver(createAdaptedChannel(channelTo(deploy()), adapter), suite);
  await adapter.close();
  expect(adapter.findFailure()).toBeUndefined();
  expect(certificate.verdict).toBe('incomplete');
  expect(certificate.incomplete_because?.join()).toContain('no filter by campaign');
  expect(certificate.summary.fail).toBeUndefined();
  const cases = certificate.requirements.flatMap((each) => each.cases);
  expect(cases.filter(({ verdict }) => verdict === 'not-applicable').length).toBeGreaterThan(0);
  expect(cases.filter(({ verdict }) => verdict === 'pass').length).toBeGreaterThan(50);
});

test.describe('on the command line', () => {
  const env = { CLIENT_APPLICATION_ID: referenceCredentials.applicationId, CLIENT_TOKEN: referenceCredentials.token };
  let reference: Awaited<ReturnType<typeof serveReference>>;
  test.beforeAll(async () => {
    reference = await serveReference({ world: suite.world, credentials: referenceCredentials });
  });
  test.afterAll(() => reference.close());

  test('A run names the adapter everywhere, keeps what went over the wire, and can be verified and replayed', async () => {
    const printing = `export default {
  toRequest({ method, path, headers, body }) {
    console.log('printed', headers.join(), process.env.CLIENT_TOKEN);
    return { method, path, headers, body };
  },
  toResponse: ([response]) => response,
};`;
    const { target } = writeAdapter('named', printing, reference.url);
    const { status, output } = await runConformance(
      ['certify', '--target', target, '--only', 'limit.newest-150', '--out', 'named'],
      { cwd, env },
    );
    expect(status, output).toBe(0);
    expect(output).toContain('printed');
    expect(output).not.toContain(env.CLIENT_TOKEN);
    const folder = path.join(cwd, 'named', 'partial');
    const certificate = loadCertificate(cwd, 'named/partial');
    expect(certificate.target.adapter?.name).toBe('named.mjs');
    for (const file of ['certificate.html', 'junit.xml', 'badge.json'])
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
    const replay = await runConformance(
      ['certify', '--replay', path.join(folder, 'evidence.har'), '--out', 'replayed'],
      { cwd },
    );
    expect(replay.status, replay.output).toBe(0);
    expect(loadCertificate(cwd, 'replayed/partial').target).toEqual(certificate.target);
  });

  test('doctor and --dry-run show the adapted request', async () => {
    const code = identity.replace('({ method, path, headers, ...', "({ method, path: path + '#adapted', headers, ...");
    const { target } = writeAdapter('shown', code, reference.url);
    const dry = await runConformanceInProcess(
      ['certify', '--target', target, '--dry-run', '--only', 'limit.newest-150'],
      { cwd, env },
    );
    expect(dry.output).toContain('#adapted');
    const doctor = await runConformanceInProcess(['doctor', '--target', target], { cwd, env });
    expect(doctor.output).toContain('#adapted');
  });

  for (const [name, condition, tag] of [
    ['at-once', 'true', '@long'],
    ['later', '(count += 1) > 20', []],
  ] as const)
    test(`An adapter that fails ${name} ends the run with status 2 and leaves no certificate`, {
      tag: [tag].flat(),
    }, async () => {
      const code = `let count = 0;\n${identity.replace('toResponse: ([response]) => response', `toResponse: ([response]) => {\n    if (${condition}) throw new Error('unreadable ${env.CLIENT_TOKEN}');\n    return response;\n  }`)}`;
      const { target } = writeAdapter(name, code, reference.url);
      const { status, output } = await runConformance(
        ['certify', '--target', target, '--only', 'limit.newest-150', '--out', name],
        { cwd, env },
      );
      expect(status, output).toBe(2);
      expect(output).toContain(`${name}.mjs:5:`);
      expect(output).toContain('unreadable $CLIENT_TOKEN');
      expect(() => loadCertificate(cwd, `${name}/partial`)).toThrow();
    });

  test('An adapter that changes the credentials gets no verdict about the target', async () => {
    const { target } = writeAdapter(
      'other',
      identity.replace('headers, ...', "headers: [['X-Client-Token', 'other']], ..."),
      reference.url,
    );
    const { status, output } = await runConformance(['certify', '--target', target, '--out', 'other'], { cwd, env });
    expect(status).toBe(4);
    expect(output).toContain('the credentials are probably wrong');
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
  const deployment = deploy();
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

test('The examples of the documentation have the right types and run', async () => {
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
  const compile = () =>
    execFileSync(
      tsc,
      [...'--strict --target es2023 --module nodenext --types'.split(' '), '', 'page.mts', 'docstring.mts'],
      {
        cwd,
        encoding: 'utf8',
      },
    );
  expect(compile()).toBe('');
  const send = async (name: string, answer: (request: HttpRequest) => HttpResponse) => {
    const adapter = start(name, readFileSync(path.join(cwd, `${name}.mjs`), 'utf8'));
    const exchange = await createAdaptedChannel(channelTo(answer), adapter).send(request);
    await adapter.close();
    expect(adapter.findFailure()).toBeUndefined();
    return exchange;
  };
  expect(await send('docstring', () => response)).toMatchObject({ response, wire: [{ request: { method: 'POST' } }] });
  const answerPage = ({ body = '' }: HttpRequest) => {
    const { after } = JSON.parse(body);
    return { ...response, body: JSON.stringify(after === undefined ? { data: [1], next: 'a' } : { data: [2] }) };
  };
  expect(await send('page', answerPage)).toMatchObject({ response: { body: '{"promotions":[1,2]}' } });
});
