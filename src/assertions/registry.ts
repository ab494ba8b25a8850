import { readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Assertion, AssertionKind, ResponseAssertion, ResponseKind } from './assertion.js';
import { type AssertionResult, combineAll, unclear } from './assertion-result.js';
import { findAnsweredExchange, type JudgeMode, type RowEvidence } from './row-evidence.js';

/** Every kind of assertion, by its key: the default exports of the files in `kinds/`. */
export const assertionKinds: ReadonlyMap<string, AssertionKind> = await kindsIn(
  path.join(import.meta.dirname, 'kinds'),
);

async function kindsIn(folder: string): Promise<Map<string, AssertionKind>> {
  // Compiled files have source maps beside them.
  const files = readdirSync(folder).filter((file) => /(?<!\.d)\.[jt]s$/.test(file));
  const modules = await Promise.all(
    files
      .sort()
      .map((file): Promise<{ default: AssertionKind }> => import(pathToFileURL(path.join(folder, file)).href)),
  );
  return new Map(modules.map(({ default: kind }) => [kind.key, kind]));
}

/** The kind of an assertion. */
export function findKind({ kind }: Pick<Assertion, 'kind'>): AssertionKind {
  const known = assertionKinds.get(kind);
  if (known === undefined) throw new Error(`There is no kind of assertion '${kind}'.`);
  return known;
}

/** The kind of an assertion about a response. */
export function findResponseKind(assertion: ResponseAssertion): ResponseKind {
  const kind = findKind(assertion);
  if ('combine' in kind) throw new Error(`'${assertion.kind}' is about other assertions.`);
  return kind;
}

/** Holds one assertion against the exchanges of its row. Pure: the same evidence gives the same truth. */
export function judgeAssertion(assertion: Assertion, evidence: RowEvidence, mode: JudgeMode): AssertionResult {
  if ('lists' in assertion) {
    const kind = findKind(assertion);
    if (!('combine' in kind)) throw new Error(`'${assertion.kind}' is about a response.`);
    return kind.combine(assertion.lists.map((list) => judgeAssertions(list, evidence, mode)));
  }
  const other = (name: string) => findAnsweredExchange(name, evidence, mode);
  const exchange = other(assertion.of);
  const truth =
    'because' in exchange
      ? unclear(exchange.because)
      : findResponseKind(assertion).judge(assertion.data, { exchange, evidence, mode, findAnswer: other });
  return truth.is === 'holds' ? truth : { shownBy: assertion.of, ...truth };
}

/** Whether all of some assertions hold. */
export function judgeAssertions(
  assertions: readonly Assertion[],
  evidence: RowEvidence,
  mode: JudgeMode,
): AssertionResult {
  return combineAll(assertions.map((assertion) => judgeAssertion(assertion, evidence, mode)));
}
