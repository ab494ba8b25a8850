/**
 * For tests of your own flow beside the cases, with the options and the results of Playwright:
 * `import { expect, test } from 'promotion-validation-conformance/playwright'`.
 */

import {
  expect as baseExpect,
  type MatcherReturnType,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestType,
} from '@playwright/test';
import { renderTierNames } from './assertions/judge-result.js';
import { applyPatch, assembleRequest, type RequestPatch } from './cases/request-draft.js';
import { createOracle } from './contract/oracle.js';
import { listAvailableTiers, type NamedWorld, type Tier } from './contract/world.js';
import type { Exchange, HttpRequest } from './http/exchange.js';
import { isSuccessful } from './http/response-status.js';
import { collectEvidence } from './judge/judge-case.js';
import { renderExchange } from './outputs/test-texts.js';
import { readReturned } from './recognition/returned-tiers.js';
import { test as caseTest } from './runner/fixtures.js';
import type { TargetRun } from './target/target-run.js';

export type { ConformanceOptions } from './runner/options.js';
export type { Exchange, RequestPatch };

export interface TestedTarget {
  readonly baseUrl: string;
  /**
   * Sends a documented request. The exchange has no secrets, and the report of the test shows it.
   *
   * @param changes to the request that a case without changes sends, with the keys of a case file: `body`, `query`,
   *   `filter`, `headers`, `without`. Names in angle brackets stand for ids, such as `<customer ann>`.
   */
  send(changes?: RequestPatch): Promise<Exchange>;
}

const runs = new WeakMap<Exchange, { readonly run: TargetRun; readonly request: HttpRequest }>();

type Use<T> = (value: T) => Promise<void>;

/** A test with the target of the project, and the test data under the ids of the target. */
export const test = caseTest.extend({
  world: [async ({ run }: { run: TargetRun }, use: Use<NamedWorld>) => use(run.suite.world), { scope: 'worker' }],
  // In the place of the option with the same name, which is a path.
  target: [openTarget, { scope: 'worker' }],
} as never) as unknown as TestType<
  PlaywrightTestArgs & PlaywrightTestOptions,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & { readonly target: TestedTarget; readonly world: NamedWorld }
>;

async function openTarget({ run }: { run: TargetRun }, use: Use<TestedTarget>): Promise<void> {
  const { world, defaultRequest } = run.suite;
  const resolveId = (kind: string, name: string) => {
    const id = new Map(Object.entries(world.ids)).get(kind)?.get(name);
    if (id === undefined || world.unavailable.has(id)) throw new Error(`The target has no ${kind} '${name}'.`);
    return id;
  };
  await use({
    baseUrl: run.baseUrl,
    async send(changes = {}) {
      const request = assembleRequest(applyPatch(defaultRequest, changes), resolveId);
      const exchange = await run.channel.send(request);
      runs.set(exchange, { run, request });
      const body = renderExchange('exchange', exchange, run.baseUrl);
      await caseTest.info().attach('exchange', { contentType: 'text/plain', body });
      return exchange;
    },
  });
}

export const expect = baseExpect.extend({
  /** The response returns these tiers, by their names in the test data, and perhaps others. With `not`: none of them. */
  toReturnTiers(exchange: Exchange, names: readonly string[]): MatcherReturnType {
    const { world, result } = read(exchange);
    const has = (name: string) => result.returned.includes(world.ids.tier.get(name) ?? '');
    const unknown = names.find((name) => !world.ids.tier.has(name));
    if (unknown !== undefined) throw new Error(`The test data has no tier '${unknown}'.`);
    const wrong = names.filter((name) => has(name) === this.isNot);
    const message = `${this.isNot ? 'Returned' : 'Not returned'}: ${wrong.join(', ')}. ${result.reason}`.trim();
    const isRight = result.unclear.size === 0 && wrong.length === 0;
    return { pass: isRight !== this.isNot, message: () => message };
  },

  /** The response is one that the documentation allows. */
  toConform(exchange: Exchange): MatcherReturnType {
    const flaw = findFlaw(exchange);
    return { pass: flaw === undefined, message: () => flaw ?? 'The documentation allows this response.' };
  },
});

function read(exchange: Exchange) {
  const { run, request } = runs.get(exchange) ?? {};
  if (run === undefined || request === undefined) throw new Error('Only an exchange of target.send() can be judged.');
  if (!('response' in exchange)) throw new Error(`There is no response: ${exchange.message}`);
  const { response } = exchange;
  const [evidence] = collectEvidence([new Map([['request', exchange]])], run.background);
  if (evidence === undefined) throw new Error('There is no evidence.');
  return { world: run.suite.world, request, response, result: readReturned(response.body, evidence) };
}

/** Explains how an exchange contradicts the documentation; undefined if it does not. */
function findFlaw(exchange: Exchange): string | undefined {
  const { world, request, response, result } = read(exchange);
  const oracle = createOracle(request, world);
  if (oracle.undocumentedReason !== undefined)
    throw new Error(`The request is not documented: ${oracle.undocumentedReason}`);
  if (result.unclear.size > 0) return result.reason;
  const tiers = listAvailableTiers(world);
  const isReturned = ({ id }: Tier) => result.returned.includes(id);
  const list = (what: string, wrong: readonly Tier[]) => {
    const ids = wrong.map(({ id }) => id);
    return ids.length === 0 ? [] : [`${what}: ${renderTierNames(ids, world)}.`];
  };
  // With a filter, the documentation has two readings: the response must agree with one.
  const readings = oracle.alternatives.length > 0 ? oracle.alternatives : [oracle];
  const flaws = readings.map(({ returned }) => {
    const missing = tiers.filter((tier) => returned(tier) === 'required' && !isReturned(tier));
    const extra = tiers.filter((tier) => returned(tier) === 'forbidden' && isReturned(tier));
    if (isSuccessful(response))
      return [...list('Not returned', missing), ...list('Returned, but should not be', extra)].join(' ');
    return oracle.accepted && missing.length > 0 ? `Answered ${response.status} to a documented request.` : '';
  });
  return flaws.includes('') ? undefined : flaws[0];
}
