import { tmpdir } from 'node:os';
import type { HttpRequest, HttpResponse } from '../src/http/exchange.js';
import { conformance } from './self-test/support/cli.js';
import { suite } from './self-test/support/in-process.js';
import { independentDeployment, listen } from './self-test/support/independent.js';

/**
 * How long `certify` takes on deployments of different kinds, side by side in one run: the machine's speed cancels out
 * in the ratio. Run it with `npm run benchmark`.
 */
const rounds = 3;
const { world } = suite;
const broken: HttpResponse = { status: 500, headers: [], body: '' };

const kinds: Record<string, (request: HttpRequest) => HttpResponse> = {
  conforming: independentDeployment(world),
  'returns everything': independentDeployment(world, { violation: 'returns-everything' }),
  'returns nothing': independentDeployment(world, { violation: 'returns-nothing' }),
  'answers 500': () => broken,
};

async function secondsFor(answer: (request: HttpRequest) => HttpResponse): Promise<number> {
  const { url, close } = await listen(answer);
  const started = performance.now();
  await conformance(['certify', '--base-url', url], {
    cwd: tmpdir(),
    env: { CLIENT_APPLICATION_ID: 'application', CLIENT_TOKEN: 'a-token-to-measure-with' },
  });
  await close();
  return (performance.now() - started) / 1000;
}

const best = new Map<string, number>();
for (let round = 0; round < rounds; round += 1) {
  for (const [kind, answer] of Object.entries(kinds)) {
    best.set(kind, Math.min(best.get(kind) ?? Number.POSITIVE_INFINITY, await secondsFor(answer)));
  }
}
const conforming = best.get('conforming') ?? Number.NaN;
for (const [kind, seconds] of best) {
  process.stdout.write(`${kind.padEnd(20)} ${seconds.toFixed(1)} s  ${(seconds / conforming).toFixed(1)}×\n`);
}
