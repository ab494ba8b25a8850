/** Cases that are sent through a function of the user. */

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { referenceCredentials } from '../../reference/deployment/reference-credentials.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { NoResponse, type Transport, UnsupportedRequestError } from '../../src/http/transport.js';
import { loadTransport } from '../../src/http/transport-module.js';
import { selectFromSuite } from '../../src/suite/case-selection.js';
import {
  credentialVariables as env,
  loadCertificate,
  makeTestFolder,
  runConformance,
  runConformanceInProcess,
} from '../support/cli.js';
import { certifyOver, channelThrough, channelTo, createReference, suite } from '../support/in-process.js';
import { listen } from '../support/independent-deployment.js';

const cwd = makeTestFolder();

function writeTransport(name: string, code: string, baseUrl = 'http://127.0.0.1:1'): string {
  writeFileSync(path.join(cwd, `${name}.mjs`), code);
  writeFileSync(path.join(cwd, `${name}.yaml`), `name: ${name}\nbase_url: ${baseUrl}\ntransport: ./${name}.mjs\n`);
  return path.join(cwd, `${name}.yaml`);
}

const request: HttpRequest = { method: 'GET', path: '/v1/promotions/validation', headers: [], body: '{}' };
const response: HttpResponse = { status: 200, headers: [], body: '{"promotions":[]}' };

test('Through the identity, deployments get the certificates of runs without a transport', async () => {
  const some = selectFromSuite(suite, { only: ['order.quantity', 'bad input'] });
  for (const faults of [[], ['quantity-ignored']]) {
    const direct = await certifyOver(channelTo(createReference({ faults })), some);
    const channel = channelThrough((sent, { send }) => send(sent), createReference({ faults }));
    expect((await certifyOver(channel, some)).certificate).toEqual(direct.certificate);
  }
});

test('Several requests may be sent in place of one', async () => {
  const sent: unknown[] = [];
  const pages: Transport = async (_, { send }) => {
    const bodies: string[] = [];
    do {
      const page = { method: 'POST', path: `/page/${bodies.length + 1}`, headers: [] };
      bodies.push((await send(page)).body);
    } while (bodies.at(-1) === 'more');
    return { ...response, body: bodies.join() };
  };
  const channel = channelThrough(pages, ({ path, again }) => {
    sent.push([path, again]);
    return { ...response, body: path === '/page/3' ? 'end' : 'more' };
  });
  const exchange = await channel.send({ ...request, again: 2 });
  expect(exchange).toMatchObject({ request, attempts: 3, response: { body: 'more,more,end' } });
  expect(sent).toEqual([
    ['/page/1', 2],
    ['/page/2', 2],
    ['/page/3', 2],
  ]);
});

test('A response that says nothing about the request never becomes a result', async () => {
  const hiding: Transport = (sent, { send }) => send(sent).catch(() => response);
  const channel = channelThrough(hiding, () => ({ ...response, status: 503 }));
  expect(await channel.send(request)).toMatchObject({ request, response: { status: 503 } });
  const broken = channelThrough(
    () => Promise.reject(new NoResponse('the line is cut')),
    () => response,
  );
  const lost = { transportError: 'broken-connection', message: expect.stringContaining('the line is cut') };
  expect(await broken.send(request)).toMatchObject(lost);
});

test('A transport that waits for nothing is given up, and told so', async () => {
  let isTold = false;
  const waiting: Transport = (_, { signal }) =>
    new Promise(() => signal.addEventListener('abort', () => (isTold = true)));
  const channel = channelThrough(waiting, () => response, 50);
  expect(await channel.send(request)).toMatchObject({ transportError: 'timed-out' });
  expect(isTold).toBe(true);
});

const bad: readonly (readonly [what: string, transport: Transport, message: string])[] = [
  ['throws', () => Promise.reject(new RangeError('no such field')), 'no such field'],
  ['returns nonsense', () => ({ status: '200' }) as never, 'it returned {"status":"200"}'],
  ['returns nothing', () => undefined as never, 'it returned undefined'],
];

for (const [what, transport, message] of bad)
  test(`After a transport that ${what}, nothing is sent`, async () => {
    let calls = 0;
    const counting: Transport = (...args) => {
      calls += 1;
      return transport(...args);
    };
    const channel = channelThrough(counting, () => response);
    for (const _ of [1, 2]) expect(await channel.send(request)).toMatchObject({ transportError: 'not-sent' });
    expect(calls).toBe(1);
    expect(channel.findFailure()?.message).toContain(message);
    if (what === 'throws') expect(channel.findFailure()?.message).toMatch(/transport\.spec\.\w+:\d+:\d+: /);
  });

const own = 'promotion-validation-conformance';
const unloadable: readonly (readonly [what: string, code: string, at: string, message: string, hint: string])[] = [
  ['has a syntax error', 'export default () => {;\n', '', 'Unexpected', 'This shows the line: node '],
  ['has no default export', 'export const transport = 1;\n', ': ', 'no function', 'a function as its default export'],
  ['throws when it is loaded', '\nthrow new Error("no key");\n', ':2:', 'no key', 'throws this as it is loaded'],
  [
    'imports a package that is not installed',
    `/** See import('${own}') and\nimport '${own}' */\n// import '${own}';\nimport {\n  NoResponse,\n} from '${own}';\n`,
    ':6:8: ',
    `'${own}'`,
    `&& npm install ${own}`,
  ],
  [
    'imports a part of one',
    "import x from '@shop/no-such/part';\n",
    ':1:15: ',
    '@shop/no-such',
    'npm install @shop/no-such',
  ],
  [
    'imports one dynamically',
    "\nawait import('no-such-package');\n",
    '',
    'no-such-package',
    'npm install no-such-package',
  ],
  [
    'requires one',
    'import { createRequire } from "node:module";\ncreateRequire(import.meta.url)("no-such");\n',
    ':2:',
    'no-such',
    'npm install no-such',
  ],
  ['imports no file', "import x from './no-such.mjs';\n", ':1:15: ', 'no-such.mjs', 'Correct the path in the import'],
  ['imports no export', "import {\n  nothing } from 'node:fs';\n", ':2: ', 'nothing', 'This shows the line: node '],
];

for (const [what, code, at, message, hint] of unloadable)
  test(`A module that ${what} is a problem with its place, and with what to do`, async () => {
    const file = path.join(cwd, `${what.replaceAll(' ', '-')}.mjs`);
    writeFileSync(file, code);
    const channel = channelThrough(await loadTransport(file), () => response);
    expect(await channel.send(request)).toMatchObject({ transportError: 'not-sent' });
    const [problem = '', advice] = channel.findFailure()?.message.split('\n') ?? [];
    expect(problem).toContain(message);
    expect(problem).toContain(`${file}${at}`);
    expect(advice).toContain(hint);
  });

test('What a module of the transport imports is a problem of that module', async () => {
  const file = path.join(cwd, 'importing.mjs');
  writeFileSync(file, "import './imported.mjs';\n");
  writeFileSync(path.join(cwd, 'imported.mjs'), "\nexport { x } from 'no-such-package';\n");
  const channel = channelThrough(await loadTransport(file), () => response);
  await channel.send(request);
  expect(channel.findFailure()?.message).toMatch(/imported\.mjs:2:19: .*\n.*npm install no-such-package$/);
});

test('What a transport cannot express is not applicable, and the certificate incomplete', async () => {
  const partly: Transport = (sent, { send }) => {
    if (sent.path.includes('promotion_id')) throw new UnsupportedRequestError('no filter by campaign');
    return send(sent);
  };
  const { certificate } = await certifyOver(channelThrough(partly, createReference()), suite);
  expect(certificate.verdict).toBe('incomplete');
  expect(certificate.incomplete_because?.join()).toContain('no filter by campaign');
  expect(certificate.summary.fail).toBeUndefined();
  const cases = certificate.requirements.flatMap((requirement) => requirement.cases);
  expect(cases.filter(({ verdict }) => verdict === 'not-applicable').length).toBeGreaterThan(0);
  expect(cases.filter(({ verdict }) => verdict === 'pass').length).toBeGreaterThan(50);
});

test.describe('on the command line', () => {
  let reference: Awaited<ReturnType<typeof listen>>;
  test.beforeAll(async () => {
    reference = await listen(createReference({ credentials: referenceCredentials }));
  });
  test.afterAll(() => reference.close());

  test('A run names the transport everywhere, and can be verified and replayed', { tag: '@long' }, async () => {
    const code = `export default (request, { send, baseUrl }) => {
  if (!request.headers.flat().includes('$CLIENT_TOKEN') || baseUrl !== '${reference.url}') throw new Error('wrong');
  return send(request);
};
`;
    const target = writeTransport('named', code, reference.url);
    const args = ['certify', '--target', target, '--only', 'limit.newest-150', '--out', 'named'];
    const { status, output } = await runConformance(args, { cwd, env });
    expect(status, output).toBe(0);
    const folder = path.join(cwd, 'named');
    const certificate = loadCertificate(cwd, 'named');
    expect(certificate.target.transport?.name).toBe('named.mjs');
    for (const file of ['certificate.html', 'summary.md'])
      expect(readFileSync(path.join(folder, file), 'utf8'), file).toContain('hrough a transport');
    const verify = await runConformanceInProcess(['verify', path.join(folder, 'certificate.json')], { cwd });
    expect(verify.status, verify.output).toBe(0);
    // A replay names it, and does not need it.
    rmSync(path.join(cwd, 'named.mjs'));
    const replayed = ['certify', '--replay', path.join('named', 'evidence.har'), '--out', 'replayed'];
    const replay = await runConformance(replayed, { cwd });
    expect(replay.status, replay.output).toBe(0);
    expect(loadCertificate(cwd, 'replayed').target).toEqual(certificate.target);
  });

  test('A transport that cannot be loaded is refused before anything is sent, and no result changes', async () => {
    const code = `throw new Error('no ${env.CLIENT_TOKEN}');\n`;
    const target = writeTransport('unloadable', code, reference.url);
    for (const command of ['certify', 'record --to record.yaml', 'doctor']) {
      const { status, output } = await runConformance([...command.split(' '), '--target', target], { cwd, env });
      expect([command, status], output).toEqual([command, 2]);
      expect(output).toMatch(/unloadable\.mjs:1:7: the transport cannot be loaded: no \$CLIENT_TOKEN\n/);
      expect(output).not.toMatch(/INCOMPLETE|certificate/);
      expect(output).not.toContain(env.CLIENT_TOKEN);
    }
    expect(existsSync(path.join(cwd, 'results'))).toBe(false);
  });

  test('A method that is refused is that of the transport: no other one is proposed', async () => {
    const server = await listen(() => ({ status: 405, headers: [['Allow', 'POST']], body: '{}' }));
    writeTransport('refused', 'export default (request, { send }) => send(request);\n', server.url);
    writeFileSync(path.join(cwd, 'unspelled.yaml'), `name: unspelled\nbase_url: ${server.url}\n`);
    for (const [target, told, untold] of [
      ['refused', 'with which the transport sends', 'certify it through a transport'],
      ['unspelled', 'certify it through a transport', 'with which the transport sends'],
    ] as const)
      for (const command of ['certify', 'doctor']) {
        const { output, status } = await runConformance([command, '--target', `${target}.yaml`], { cwd, env });
        expect([command, status], output).toEqual([command, 1]);
        expect(output).toContain(told);
        expect(output).not.toContain(untold);
      }
    await server.close();
  });

  test('Through a transport, each output with commands says that they show the documented requests', async () => {
    const wrong = await listen(createReference({ faults: ['quantity-ignored'], credentials: referenceCredentials }));
    writeTransport('wrong', 'export default (request, { send }) => send(request);\n', wrong.url);
    writeFileSync(path.join(cwd, 'direct.yaml'), `name: direct\nbase_url: ${wrong.url}\n`);
    const notice = 'Commands show the documented requests';
    const count = (text: string) => text.split(notice).length - 1;
    for (const [name, times] of [
      ['wrong', 1],
      ['direct', 0],
    ] as const) {
      const args = ['certify', '--target', `${name}.yaml`, '--only', 'order.quantity', '--out', name];
      const run = await runConformance(args, { cwd, env });
      expect(run.status, run.output).toBe(1);
      expect(run.output).toContain('curl ');
      expect(count(run.output), run.output).toBe(times);
      expect(count(readFileSync(path.join(cwd, name, 'certificate.html'), 'utf8'))).toBe(times);
      const observed = readFileSync(path.join(cwd, name, 'observed.md'), 'utf8');
      expect(observed.includes('Requests are the documented ones')).toBe(times === 1);
      const quantity = ['--grep', 'integer-quantity:', '--reporter=line'];
      const { output } = await runConformance([...args, '--', ...quantity], { cwd, env });
      expect(output).toContain('Send it again with:');
      // Of each error, of what is attached to it, and of the report.
      expect(count(output) > 1, output).toBe(times === 1);
    }
    // Nothing is said where no command is shown.
    const right = writeTransport('right', 'export default (request, { send }) => send(request);\n', reference.url);
    const passed = await runConformance(['certify', '--target', right, '--only', 'order.quantity'], { cwd, env });
    expect([passed.status, count(passed.output)], passed.output).toEqual([0, 0]);
    await wrong.close();
  });

  test('A transport that fails ends the run with status 2, and no verdict is valid', { tag: '@long' }, async () => {
    const code = `let count = 0;
export default async (request, { send }) => {
  if ((count += 1) > 5) throw new Error('unreadable ${env.CLIENT_TOKEN}');
  return await send(request);
};
`;
    const target = writeTransport('failing', code, reference.url);
    const args = ['certify', '--target', target, '--only', 'limit.newest-150', '--out', 'failing'];
    const { status, output } = await runConformance(args, { cwd, env });
    expect(status, output).toBe(2);
    expect(output).toContain('failing.mjs:3:');
    expect(output).toContain('unreadable $CLIENT_TOKEN');
    const { verdict, requirements } = loadCertificate(cwd, 'failing');
    expect(verdict).toBe('incomplete');
    expect(requirements.filter(({ cases }) => cases.some((entry) => entry.verdict === 'pass'))).toEqual([]);
  });
});
