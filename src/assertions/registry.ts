/**
 * Assertions state what a response must be like. One of them and the exchanges of its row go in; out comes whether it holds,
 * is violated or is unclear, and why. Each file in `kinds/` has one kind, which this file finds by itself. It reads that folder
 * once, when it is loaded; judging is pure, and runs in the worker. Every process that reads case files uses the registry, too.
 */

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { World } from '../contract/world.js';
import { renderReason } from '../support/reason.js';
import {
  type Assertion,
  type AssertionDefinition,
  type AssertionResult,
  combineResultsWithAnd,
  combineResultsWithOr,
  createUnclearResult,
  type ResponseAssertionDefinition,
} from './assertion.js';
import { describeTiers } from './judge-returned-tiers.js';
import { findAnsweredExchange, type JudgeMode, type RowEvidence } from './row-evidence.js';

const folder = path.join(import.meta.dirname, 'kinds');
// Compiled files have source maps and declarations beside them.
const files = readdirSync(folder).filter((file) => /(?<!\.d)\.[jt]s$/.test(file));
const modules: { readonly default: AssertionDefinition }[] = await Promise.all(
  files.sort().map((file) => import(pathToFileURL(path.join(folder, file)).href)),
);

/** By their keys in case files, such as `returned.include`. */
export const assertionDefinitions: ReadonlyMap<string, AssertionDefinition> = new Map(
  modules.map(({ default: kind }) => [kind.key, kind]),
);

/** Finds the kind of an assertion about a response. The reader of case files accepts known kinds only. */
export function findResponseAssertionDefinition({ kind }: Pick<Assertion, 'kind'>): ResponseAssertionDefinition {
  return assertionDefinitions.get(kind) as ResponseAssertionDefinition;
}

/** Names a request of a case. A single one has no name of its own: case files call it `request`. */
export function nameRequest(name: string): string {
  return name === 'request' ? 'the request' : `request '${name}'`;
}

/** Says in words what is expected. */
export function describeAssertion(assertion: Assertion, world: World): string {
  if ('lists' in assertion) {
    const texts = assertion.lists.map((list) => list.map((part) => describeAssertion(part, world)).join(' and '));
    return texts.join(', or ');
  }
  const words = findResponseAssertionDefinition(assertion).describe(assertion.data, (ids) =>
    renderReason(describeTiers(ids, world)),
  );
  return `${nameRequest(assertion.of)} ${words}`;
}

/** Judges by a response alone: an exchange without a usable response leaves nearly all assertions unclear. */
export function judgeAssertion(assertion: Assertion, evidence: RowEvidence, mode: JudgeMode): AssertionResult {
  if ('lists' in assertion)
    return combineResultsWithOr(assertion.lists.map((list) => judgeWhetherAllHold(list, evidence, mode)));
  const { of: shownBy, data } = assertion;
  const kind = findResponseAssertionDefinition(assertion);
  const exchange = findAnsweredExchange(shownBy, evidence, mode);
  if ('reason' in exchange) {
    const received = evidence.exchanges.get(shownBy);
    const lost = mode === 'requirement' && received ? kind.judgeLost?.(received, evidence) : undefined;
    return lost === undefined ? { is: 'unclear', reason: exchange.reason, shownBy } : { shownBy, ...lost };
  }
  const result = kind.judge(data, {
    exchange,
    evidence,
    mode,
    compareWith(name, judge) {
      const compared = findAnsweredExchange(name, evidence, mode);
      return 'reason' in compared
        ? createUnclearResult('of-request', { name, reason: compared.reason })
        : judge(compared);
    },
  });
  return result.is === 'holds' ? result : { shownBy, ...result };
}

/** Judges whether all of them hold. */
export function judgeWhetherAllHold(assertions: readonly Assertion[], evidence: RowEvidence, mode: JudgeMode) {
  return combineResultsWithAnd(assertions.map((assertion) => judgeAssertion(assertion, evidence, mode)));
}
