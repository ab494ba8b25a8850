import { readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { World } from '../contract/world.js';
import {
  type Assertion,
  type AssertionKind,
  type AssertionResult,
  type CompositeKind,
  combineAll,
  type ResponseKind,
  unclear,
  violated,
} from './assertion.js';
import { renderTierNames } from './judge-result.js';
import { explainLostResponse } from './lost-response.js';
import { findAnsweredExchange, type JudgeMode, type RowEvidence } from './row-evidence.js';

/** All kinds of assertions, by key: the default exports of the files in `kinds/`. */
export const assertionKinds: ReadonlyMap<string, AssertionKind> = await loadKinds(
  path.join(import.meta.dirname, 'kinds'),
);

async function loadKinds(folder: string): Promise<Map<string, AssertionKind>> {
  // Compiled files have source maps and declarations beside them.
  const files = readdirSync(folder).filter((file) => /(?<!\.d)\.[jt]s$/.test(file));
  const modules = await Promise.all(
    files
      .sort()
      .map((file): Promise<{ default: AssertionKind }> => import(pathToFileURL(path.join(folder, file)).href)),
  );
  return new Map(modules.map(({ default: kind }) => [kind.key, kind]));
}

/** Finds the kind of an assertion about a response. The reader of case files accepts known kinds only. */
export function findResponseKind({ kind }: Pick<Assertion, 'kind'>): ResponseKind {
  return assertionKinds.get(kind) as ResponseKind;
}

function findCompositeKind({ kind }: Pick<Assertion, 'kind'>): CompositeKind {
  return assertionKinds.get(kind) as CompositeKind;
}

/** Says in words what an assertion asks for. */
export function describeAssertion(assertion: Assertion, world: World): string {
  if ('lists' in assertion) {
    const texts = assertion.lists.map((list) => list.map((part) => describeAssertion(part, world)).join(' and '));
    return texts.join(`, ${findCompositeKind(assertion).conjunction} `);
  }
  const words = findResponseKind(assertion).describe(assertion.data, (ids) => renderTierNames(ids, world));
  return `'${assertion.of}' ${words}`;
}

/** Judges one assertion by the exchanges of its row. Pure: the same evidence gives the same result. */
export function judgeAssertion(assertion: Assertion, evidence: RowEvidence, mode: JudgeMode): AssertionResult {
  if ('lists' in assertion)
    return findCompositeKind(assertion).combine(assertion.lists.map((list) => judgeAssertions(list, evidence, mode)));
  const exchange = findAnsweredExchange(assertion.of, evidence, mode);
  if ('reason' in exchange) {
    const isAboutAcceptance = mode === 'requirement' && assertion.kind === 'status';
    const lost = isAboutAcceptance ? explainLostResponse(assertion.of, evidence) : undefined;
    return { ...(lost === undefined ? unclear(exchange.reason) : violated(lost)), shownBy: assertion.of };
  }
  const result = findResponseKind(assertion).judge(assertion.data, {
    exchange,
    evidence,
    mode,
    compareWith(name, judge) {
      const compared = findAnsweredExchange(name, evidence, mode);
      return 'reason' in compared ? unclear(`'${name}': ${compared.reason}`) : judge(compared);
    },
  });
  return result.is === 'holds' ? result : { shownBy: assertion.of, ...result };
}

/** Judges whether all assertions hold. */
export function judgeAssertions(
  assertions: readonly Assertion[],
  evidence: RowEvidence,
  mode: JudgeMode,
): AssertionResult {
  return combineAll(assertions.map((assertion) => judgeAssertion(assertion, evidence, mode)));
}
