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
import { applyPatch, assembleRequest, type RequestPatch } from './cases/request-draft.js';
import type { TargetRun } from './certify/target-run.js';
import type { TargetWorld } from './contract/world.js';
import type { Exchange } from './http/exchange.js';
import { collectRowEvidence, type RowEvidenceWithReadings } from './judge/collect-row-evidence.js';
import { type CodedExchangeJudgement, judgeExchanges } from './judge/judge-exchange.js';
import { renderExchange } from './outputs/test-texts.js';
import { readReturnedTiersOfBody } from './recognition/returned-tiers.js';
import { test as caseTest } from './runner/fixtures.js';
import { renderReason } from './support/reason.js';

export type { ConformanceUseOptions } from './runner/options.js';
export type { Exchange, RequestPatch };

export interface TestedTarget {
  readonly baseUrl: string;
  /**
   * Sends a documented request. The exchange has no secrets, and the report of the test shows it.
   *
   * @param changes with the keys of a case file: `from`, `body`, `query`, `filter`, `headers`, `without`. Names in angle
   *   brackets stand for ids, such as `<customer ann>`. Without `from`, they change the first of the named requests.
   */
  send(changes?: RequestPatch): Promise<Exchange>;
}

const runs = new WeakMap<Exchange, TargetRun>();

type Use<T> = (value: T) => Promise<void>;

/** A test with the target of the project, and the test data under the ids of the target. */
export const test = caseTest.extend({
  world: [async ({ run }: { run: TargetRun }, use: Use<TargetWorld>) => use(run.suite.world), { scope: 'worker' }],
  // In the place of the option with the same name, which is a path.
  target: [openTarget, { scope: 'worker' }],
} as never) as unknown as TestType<
  PlaywrightTestArgs & PlaywrightTestOptions,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & { readonly target: TestedTarget; readonly world: TargetWorld }
>;

async function openTarget({ run }: { run: TargetRun }, use: Use<TestedTarget>): Promise<void> {
  const { world, namedRequests } = run.suite;
  const [plain] = namedRequests.values();
  const resolveId = (kind: string, name: string) => {
    const id = new Map(Object.entries(world.ids)).get(kind)?.get(name);
    if (id === undefined || world.unavailable.has(id)) throw new Error(`The target has no ${kind} '${name}'.`);
    return id;
  };
  await use({
    baseUrl: run.baseUrl,
    async send(changes = {}) {
      const { from } = changes;
      const start = from === undefined ? plain : namedRequests.get(from);
      if (start === undefined) throw new Error(`There is no named request '${from}'.`);
      const request = assembleRequest(applyPatch(start, changes), resolveId);
      const exchange = await run.channel.send(request);
      runs.set(exchange, run);
      const body = renderExchange('exchange', exchange, run.start.settings.target);
      await caseTest.info().attach('exchange', { contentType: 'text/plain', body });
      return exchange;
    },
  });
}

export const expect = baseExpect.extend({
  /** The response returns these tiers, by their names in the test data, and perhaps others. With `not`: none of them. */
  toReturnTiers(exchange: Exchange, names: readonly string[]): MatcherReturnType {
    const { run, answered } = findRun(exchange);
    const { world } = run.suite;
    const [evidence] = collectRowEvidence([new Map([['request', answered]])], run.target);
    const result = readReturnedTiersOfBody(answered.response.body, evidence as RowEvidenceWithReadings);
    const has = (name: string) => result.returned.includes(world.ids.tier.get(name) ?? '');
    const unknown = names.find((name) => !world.ids.tier.has(name));
    if (unknown !== undefined) throw new Error(`The test data has no tier '${unknown}'.`);
    const wrong = names.filter((name) => has(name) === this.isNot);
    const message =
      `${this.isNot ? 'Returned' : 'Not returned'}: ${wrong.join(', ')}. ${renderReason(result.reason)}`.trim();
    const isRight = result.unclear.size === 0 && wrong.length === 0;
    return { pass: isRight !== this.isNot, message: () => message };
  },

  /** The response is one that the documentation allows. */
  toConform(exchange: Exchange): MatcherReturnType {
    const { run, answered } = findRun(exchange);
    const [{ verdict, ...judged }] = judgeExchanges([answered], run.target) as [CodedExchangeJudgement];
    const reason = renderReason(judged.reason);
    if (verdict === 'undocumented') throw new Error(reason);
    const isAllowed = verdict === 'pass' || verdict === 'open';
    return { pass: isAllowed, message: () => (isAllowed ? 'The documentation allows this response.' : reason) };
  },
});

function findRun(exchange: Exchange) {
  const run = runs.get(exchange);
  if (run === undefined) throw new Error('Only an exchange of target.send() can be judged.');
  if (!('response' in exchange)) throw new Error(`There is no response: ${exchange.message}`);
  return { run, answered: exchange };
}
