/**
 * Assertions state what a response must be like. One of them and the exchanges of its row go in; out comes whether it holds,
 * is violated or is unclear, and why. Each file in `kinds/` has one kind, which this file finds by itself. It reads that folder
 * once, when it is loaded; judging is pure, and runs in the worker. Every process that reads case files uses the registry, too.
 */

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
import accepted from './kinds/accepted.js';
import answered from './kinds/answered.js';
import anyOf from './kinds/any-of.js';
import bodyAlike from './kinds/body-alike.js';
import bodyEmpty from './kinds/body-empty.js';
import bodyMentions from './kinds/body-mentions.js';
import bodyMentionsNot from './kinds/body-mentions-not.js';
import bodySameAs from './kinds/body-same-as.js';
import returnedDiffersFrom from './kinds/returned-differs-from.js';
import returnedExclude from './kinds/returned-exclude.js';
import returnedInclude from './kinds/returned-include.js';
import returnedNothing from './kinds/returned-nothing.js';
import returnedOnce from './kinds/returned-once.js';
import returnedOnly from './kinds/returned-only.js';
import returnedOrder from './kinds/returned-order.js';
import returnedSameAs from './kinds/returned-same-as.js';
import returnedWindowAs from './kinds/returned-window-as.js';
import status from './kinds/status.js';
import { findAnsweredExchange, type JudgeMode, type RowEvidence } from './row-evidence.js';

/** The bundle of the package has no files to search, and `require` loads no module that waits: so this is a list. */
const kinds: readonly AssertionDefinition[] = [
  accepted,
  answered,
  anyOf,
  bodyAlike,
  bodyEmpty,
  bodyMentionsNot,
  bodyMentions,
  bodySameAs,
  returnedDiffersFrom,
  returnedExclude,
  returnedInclude,
  returnedNothing,
  returnedOnce,
  returnedOnly,
  returnedOrder,
  returnedSameAs,
  returnedWindowAs,
  status,
];

/** By their keys in case files, such as `returned.include`. */
export const assertionDefinitions: ReadonlyMap<string, AssertionDefinition> = new Map(
  kinds.map((kind) => [kind.key, kind]),
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
