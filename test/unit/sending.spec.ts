import { createServer } from 'node:net';
import { expect, test } from '@playwright/test';
import { type EquivalentRequestForm, equivalentRequestForms } from '../../src/cases/equivalent-request-forms.js';
import {
  applyPatch,
  assembleRequest,
  documentedRequestDraft,
  type RequestPatch,
} from '../../src/cases/request-draft.js';
import { explainUndocumented } from '../../src/contract/explain-undocumented.js';
import { listCredentialSecrets } from '../../src/contract/operation.js';
import { openClient } from '../../src/http/client.js';
import { noRetry } from '../../src/http/connection-options.js';
import { parseRequest } from '../../src/http/decoded-request.js';
import { findRefusableEncoding } from '../../src/http/exchange.js';
import { judgeDeployment, listVerdicts } from '../../tools/proof/judge-deployment.js';
import { recognizer, suite } from '../support/in-process.js';
import { createIndependentDeployment } from '../support/independent-deployment.js';
import { listenOnLoopback } from '../support/listen-on-loopback.js';

const plain: RequestPatch = {
  filter: { 'metadata.größe': 'jé' },
  body: { customer: { id: 'cust_ö' }, order: { items: [{ product_id: 'x"y', quantity: 1 }] } },
};
const formNames = Object.keys(equivalentRequestForms) as EquivalentRequestForm[];
const createRequest = (sent?: EquivalentRequestForm | readonly EquivalentRequestForm[]) =>
  assembleRequest(
    applyPatch(documentedRequestDraft, { ...plain, ...(sent === undefined ? {} : { sent }) }),
    (_, name) => name,
  );

/** Sends a usual request and then one in another form. Returns the second one as it reaches a socket. */
async function sendAs(form: EquivalentRequestForm) {
  const pieces: { connection: number; text: string }[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    const connection = connections;
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      pieces.push({ connection, text: chunk.toString() });
      text += chunk.toString();
      const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
      const length = /content-length: (\d+)/i.exec(head)?.[1];
      const isWhole = length === undefined ? body.endsWith('0\r\n\r\n') : Buffer.byteLength(body) >= Number(length);
      if (!isWhole) return;
      text = '';
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]');
    });
  });
  const secrets = listCredentialSecrets({ applicationId: 'the-application', token: 'the-token' });
  const { url: baseUrl, close } = await listenOnLoopback(server);
  // One connection at most, so the second request waits until it is idle.
  const client = openClient({ baseUrl, secrets, retry: noRetry, pacing: { concurrency: 1 } });
  await client.send(createRequest());
  const before = pieces.length;
  const { response } = (await client.send(createRequest(form))) as { response?: { status: number } };
  await client.close();
  await close();
  const added = pieces.slice(before);
  const [head = '', body = ''] = added
    .map(({ text }) => text)
    .join('')
    .split(/\r\n\r\n(.*)/s);
  return { status: response?.status, connection: added[0]?.connection, pieces: added.length, head, body };
}

test('Each form is the same documented request', () => {
  const usual = parseRequest(createRequest());
  for (const form of formNames) {
    expect(parseRequest(createRequest(form)), form).toEqual(usual);
    expect(explainUndocumented(createRequest(form)), form).toBeUndefined();
  }
});

test('Each form goes over the wire as its name says', async () => {
  const usualBody = createRequest().body ?? '';
  const wire = Object.fromEntries(
    await Promise.all(formNames.map(async (form) => [form, await sendAs(form)] as const)),
  ) as Record<EquivalentRequestForm, Awaited<ReturnType<typeof sendAs>>>;
  for (const form of formNames) {
    expect(wire[form].status, form).toBe(200);
    expect(wire[form].connection, form).toBe(form === 'on-a-fresh-connection' ? 2 : 1);
    expect(/^content-length: /im.test(wire[form].head), form).toBe(form !== 'chunked');
  }
  expect(wire.chunked.head).toMatch(/^transfer-encoding: chunked$/im);
  expect(wire.chunked.body.match(/^[0-9a-f]+$/gim)).toHaveLength(4);
  expect(formNames.filter((form) => /^accept-encoding: gzip/im.test(wire[form].head))).toEqual(['with-accept-headers']);
  // A busy machine may read two of the three at once.
  expect(wire['in-pieces'].pieces).toBeGreaterThan(1);
  expect(wire['in-pieces'].body).toBe(usualBody);
  expect(wire['after-white-space'].body).toBe(`\r\n\t ${usualBody} \n`);
  expect(wire['pretty-printed'].body).toContain('{\n  "customer": {\n    "id": "cust_ö"\n  },');
  expect(wire['with-escaped-letters'].body).toMatch(/^\{"\\u0063ustomer":\{"\\u0069d":"\\u0063ust_\\u00f6"\}/);
  expect(wire['with-escaped-letters'].body).toContain('"\\u0078\\"y"');
  expect(wire['members-reversed'].body).toBe(
    '{"order":{"items":[{"quantity":1,"product_id":"x\\"y"}]},"customer":{"id":"cust_ö"}}',
  );
  const query = /\?(.*) HTTP/;
  expect(query.exec(wire['values-percent-encoded-in-lower-case'].head)?.[1]).toMatch(/%24is%5D=%6a%c3%a9$/);
  expect(wire['header-names-in-lower-case'].head).toContain('\r\nx-client-token: the-token');
  expect(wire['header-names-in-upper-case'].head).toContain('\r\nX-CLIENT-TOKEN: the-token');
});

test('Requirements send the bytes that other clients send', () => {
  const requests = suite.cases
    .filter(({ kind }) => kind === 'requirement')
    .flatMap(({ rows }) => rows.flatMap((row) => [...row.requests.values()]))
    .filter((request) => findRefusableEncoding(request) === undefined);
  const sent = new Map(
    requests.flatMap((request) => {
      const pairs = request.path.split(/\?(.*)/s)[1]?.split('&') ?? [];
      return pairs.flatMap((pair) => pair.split('=').map((text) => [decodeURIComponent(text), text] as const));
    }),
  );
  // Libraries write a space as %20 or +, escapes in either letter case, and leave ~ or * as it is.
  const normalize = (text: string) =>
    text
      .replaceAll('+', '%20')
      .replaceAll('*', '%2A')
      .replaceAll('~', '%7E')
      .replaceAll(/%../g, (triplet) => triplet.toUpperCase());
  const expected = [...sent.values()].map(normalize);
  const texts = [...sent.keys()];
  expect(texts.length).toBeGreaterThan(10);
  expect(texts.map((text) => normalize(new URLSearchParams({ [text]: '' }).toString().slice(0, -1)))).toEqual(expected);
  expect(requests.filter(({ body = '' }) => body.startsWith('\ufeff'))).toEqual([]);
});

/** How a conforming deployment may answer requests of one form, and how it may not. */
const answersToForms: readonly (readonly [
  form: EquivalentRequestForm,
  status: number | 'without-body',
  verdict: string,
])[] = [
  ['chunked', 411, 'pass'],
  ['chunked', 400, 'inconclusive'],
  ['chunked', 'without-body', 'fail'],
  ['with-accept-headers', 406, 'fail'],
  ['with-accept-headers', 'without-body', 'fail'],
];

test('A deployment may refuse chunked bodies, but neither ignore a body nor refuse other Accept headers', async () => {
  const conforming = createIndependentDeployment(suite.world);
  for (const [form, status, verdict] of answersToForms) {
    const answer: typeof conforming = (request) => {
      if (request.sent !== form) return conforming(request);
      return status === 'without-body' ? conforming({ ...request, body: '' }) : { status, headers: [], body: '' };
    };
    const verdicts = listVerdicts(await judgeDeployment(suite, answer, { recognizer }));
    expect.soft(verdicts.get('request.get-with-body'), `${form}: ${status}`).toBe(verdict);
  }
});
