import { createServer } from 'node:https';
import { expect, test } from '@playwright/test';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { startRun } from '../../src/run/run.js';
import { credentialVariables, loadCertificate, makeTestFolder, runConformance } from '../support/cli.js';
import {
  type Answer,
  certifyInProcess,
  channelTo,
  createReference,
  requirementSuite,
  suite,
} from '../support/in-process.js';
import {
  createIndependentDeployment,
  listen,
  type ShapeName,
  shapes,
  type Traits,
} from '../support/independent-deployment.js';
import { type Listening, listenOnLoopback } from '../support/listen-on-loopback.js';
import { serverCertificate } from '../support/tls-certificates.js';

const cwd = makeTestFolder();

const { CLIENT_TOKEN: token } = credentialVariables;
const reply = (status: number, body: string, type = 'application/json'): HttpResponse => ({
  status,
  headers: type === '' ? [] : [['Content-Type', type]],
  body,
});
const page = '<!DOCTYPE html><html><title>Welcome</title></html>';
const findReason = async (answer: Answer) => (await startRun(suite, channelTo(answer))).calibration.unreachable;

test.describe('The command ends early and shows what the target said:', () => {
  const answerWith = (status: number, type: string, body: string) => () => listen(() => reply(status, body, type));
  const targets: Record<string, readonly [start: () => Promise<Listening>, ...says: RegExp[]]> = {
    'a wrong path': [
      answerWith(404, 'text/html', `<html>Cannot GET /v1 ${token}</html>`),
      /404 \(text\/html\), "<html>Cannot GET /,
      /base_url.*path prefix/,
    ],
    'a web page': [
      answerWith(200, 'text/html', `${page}${'x'.repeat(500)}`),
      /200 \(text\/html\), "<!DOCTYPE html>/,
      /base_url/,
    ],
    'an empty object': [answerWith(200, 'application/json', '{}'), /"\{\}"/, /base_url/],
    'no JSON': [answerWith(200, 'text/plain', 'It works!'), /"It works!"/],
    'a gateway': [
      answerWith(403, 'application/json', '{"message":"Missing API key"}'),
      /403 \(application\/json\), "\{"message":"Missing API key"\}"/,
      /'headers' in the target file/,
    ],
    'HTTPS on the port': [() => listenOnLoopback(createServer(serverCertificate)), /https:\/\//],
  };
  const quick = ['a web page', 'an empty object'];
  for (const [what, [start, ...says]] of Object.entries(targets)) {
    test(what, { tag: quick.includes(what) ? [] : ['@long'] }, async () => {
      const { url, close } = await start();
      const out = what.replaceAll(' ', '-');
      const args = ['certify', '--base-url', url, '--out', out];
      if (what === 'a web page') args.push('--world-loaded');
      const { status, output } = await runConformance(args, { cwd, env: credentialVariables });
      await close();
      const line = output.split('\n').find((each) => says.every((pattern) => pattern.test(each))) ?? '';
      expect(line, output).not.toBe('');
      expect(line.length).toBeLessThan(700);
      expect(output).not.toContain(token);
      expect(output.split('\n').length).toBeLessThan(20);
      expect(status).toBe(4);
      const { verdict, summary, requests_sent } = loadCertificate(cwd, `${out}`);
      expect(verdict).toBe('incomplete');
      expect(summary).toEqual({ inconclusive: suite.contract.requirements.length });
      expect(requests_sent).toBeLessThanOrEqual(20);
    });
  }
});

test('A stub of the one path is recognized, since no filter restricts its list', async () => {
  const stub: Answer = ({ path }) =>
    path.startsWith('/v1/promotions/validation') ? reply(200, '{"data":[{"id":"sample"}]}') : reply(404, '{}');
  expect(await findReason(stub)).toContain('"{"data":[{"id":"sample"}]}"');
});

test('If the user says that the world is loaded, only a web page shows that the address is wrong', async () => {
  const judge = async (answer: Answer) =>
    (await certifyInProcess(answer, { suite: requirementSuite, isWorldLoaded: true })).certificate;
  for (const answer of [reply(404, '{"error":"not found"}'), reply(400, '{}'), reply(200, '{"status":"ok"}')])
    expect.soft((await judge(() => answer)).verdict, answer.body).toBe('does-not-conform');
  for (const status of [200, 404]) {
    const { verdict, requests_sent } = await judge(() => reply(status, page, 'text/html'));
    expect.soft([verdict, requests_sent < 10], String(status)).toEqual(['incomplete', true]);
  }
});

test.describe('A conforming deployment never ends early, with or without the world:', () => {
  const withoutTiers = { ...suite.world, tiers: [] };
  const withoutWorld = { ...withoutTiers, customers: [], products: [], skus: [], campaigns: [] };
  const traits: Traits[] = [
    ...(Object.keys(shapes) as ShapeName[]).map((shape) => ({ shape })),
    { empty: 404 },
    { empty: 204 },
    { empty: 'no-body' },
    { unknownCustomer: 'rejected' },
    { unknownCustomer: 'rejected', empty: 404 },
  ];
  for (const [what, world] of Object.entries({ complete: suite.world, without: withoutWorld, tiers: withoutTiers }))
    test(`independent deployments, ${what}`, async () => {
      for (const each of traits)
        expect.soft(await findReason(createIndependentDeployment(world, each)), JSON.stringify(each)).toBeUndefined();
    });

  test('the reference deployment with every form of an empty result', async () => {
    for (const form of ['empty-list', 'no-content', 'not-found', 'rejected', 'empty-body'])
      for (const world of [suite.world, withoutWorld]) {
        const answer = createReference({ world, behaviours: { 'empty-result': form } });
        expect.soft(await findReason(answer), form).toBeUndefined();
      }
  });

  const isOperation = ({ path }: HttpRequest) => path.startsWith('/v1/promotions/validation');
  const servers: Record<string, Answer> = {
    'answers any path with an empty list': () => reply(200, '{"promotions":[]}'),
    'answers any path with nothing': () => reply(204, '', ''),
    'says in words that nothing is valid': (request) =>
      isOperation(request) ? reply(200, '{"message":"No promotion is valid"}') : reply(404, ''),
    'declares an empty list as HTML': () => reply(200, '[]', 'text/html; charset=UTF-8'),
    'answers 404 with the same text as for another path, but reads the body': ({ body = '{}' }) => {
      try {
        JSON.parse(body);
        return reply(404, page, 'text/html');
      } catch {
        return reply(400, page, 'text/html');
      }
    },
    'has a page for unknown customers': (request) =>
      isOperation(request) ? reply(404, `${page} unknown customer`, 'text/html') : reply(404, page, 'text/html'),
    'has promotions of others, and filters them': ({ path }) =>
      reply(200, path.includes('filters') ? '[]' : '[{"id":"other"}]'),
  };
  for (const [what, answer] of Object.entries(servers))
    test(what, async () => expect(await findReason(answer)).toBeUndefined());
});
