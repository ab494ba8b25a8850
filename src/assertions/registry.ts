import { readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Assertion, AssertionKind, ResponseAssertion, ResponseKind } from './assertion.js';
import { answerTo, type Evidence, type Mode } from './evidence.js';
import { allHold, type Truth, unclear } from './truth.js';

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
export function kindOf({ kind }: Pick<Assertion, 'kind'>): AssertionKind {
  const known = assertionKinds.get(kind);
  if (known === undefined) throw new Error(`There is no kind of assertion '${kind}'.`);
  return known;
}

/** The kind of an assertion about a response. */
export function responseKindOf(assertion: ResponseAssertion): ResponseKind {
  const kind = kindOf(assertion);
  if ('combine' in kind) throw new Error(`'${assertion.kind}' is about other assertions.`);
  return kind;
}

/** Holds one assertion against the exchanges of its row. Pure: the same evidence gives the same truth. */
export function truthOf(assertion: Assertion, evidence: Evidence, mode: Mode): Truth {
  if ('lists' in assertion) {
    const kind = kindOf(assertion);
    if (!('combine' in kind)) throw new Error(`'${assertion.kind}' is about a response.`);
    return kind.combine(assertion.lists.map((list) => truthOfAll(list, evidence, mode)));
  }
  const other = (name: string) => answerTo(name, evidence, mode);
  const exchange = other(assertion.of);
  const truth =
    'because' in exchange
      ? unclear(exchange.because)
      : responseKindOf(assertion).judge(assertion.data, { exchange, evidence, mode, other });
  return truth.is === 'holds' ? truth : { shownBy: assertion.of, ...truth };
}

/** Whether all of some assertions hold. */
export function truthOfAll(assertions: readonly Assertion[], evidence: Evidence, mode: Mode): Truth {
  return allHold(assertions.map((assertion) => truthOf(assertion, evidence, mode)));
}
