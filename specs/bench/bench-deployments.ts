import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDeployment } from '../../reference/deployment.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { suite } from '../self-test/support/in-process.js';
import { createIndependentDeployment, listen } from '../self-test/support/independent-deployment.js';
import { benchCredentials } from './measure-cost.js';

/** Starts a deployment. */
export type Serve = () => Promise<{ url: string; close(): Promise<unknown> }>;

const { world } = suite;

/** The reference deployment. */
export const reference = createDeployment({ world, credentials: benchCredentials });

const honest = createIndependentDeployment(world);

const serving =
  (answer: (request: HttpRequest) => HttpResponse): Serve =>
  () =>
    listen(answer);

/** The reference deployment with records of 14 KB. */
const largeRecords = (request: HttpRequest): HttpResponse => {
  const response = honest(request);
  if (response.status !== 200) return response;
  const padded = (key: string, value: unknown) =>
    typeof value === 'object' && value !== null && 'id' in value && key !== '' ? { ...value, padding } : value;
  return { ...response, body: JSON.stringify(JSON.parse(response.body), padded) };
};
const padding = 'x'.repeat(13_700);

/** As an honest deployment, with 25,000 unknown ids beside the result; no two bodies are equal. */
const idsWithoutNumber = (request: HttpRequest): HttpResponse => {
  const response = honest(request);
  if (response.status !== 200) return response;
  turn += 1;
  const others = manyIds.replaceAll('@', (turn % 0x1_0000).toString(16).padStart(4, '0'));
  return { ...response, body: response.body.replace(/\}$/, `,"others":${others}}`) };
};
const manyIds = JSON.stringify(
  Array.from({ length: 25_000 }, (_, n) => `promo_${(n * 7919).toString(16).padStart(20, '0')}@`),
);
let turn = 0;

/** Bodies that never end. */
const endless: Serve = async () => {
  const chunk = Buffer.from(`{"id":"${world.tiers[0]?.id}","text":"${'x'.repeat(64 * 1024)}"},`);
  const server = createServer((_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'application/json' }).write('[');
    const more = (): void => {
      while (!outgoing.destroyed && outgoing.write(chunk));
    };
    outgoing.on('drain', more).on('error', () => undefined);
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => server.close().closeAllConnections();
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
};

/** An address where nothing listens. */
const down: Serve = async () => {
  const { url, close } = await listen(honest);
  await close();
  return { url, close: async () => undefined };
};

export const serveConforming = serving(honest);

/** Deployments on which nearly everything fails. */
export const failingDeployments = {
  'everything fails': serving(createIndependentDeployment(world, { violation: 'returns-everything' })),
  'nothing is returned': serving(createIndependentDeployment(world, { violation: 'returns-nothing' })),
  '500 to everything': serving(() => ({ status: 500, headers: [], body: '' })),
  'target down': down,
} as const;

/** Deployments whose runs need much memory. */
export const heavyDeployments = {
  '150 records of 14 KB': serving(largeRecords),
  '25,000 ids': serving(idsWithoutNumber),
  'endless bodies': endless,
} as const;
