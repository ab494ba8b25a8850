import type { Suite } from '../cases/suite.js';
import type { ShownResult } from '../engine/case-result.js';
import type { AdditivePolicy, Baseline, Drift, ExpectedOutcome } from '../judge/drift.js';
import { renderShortList } from '../support/render-short-list.js';
import { quoteLines, toOneLine } from '../support/untrusted-text.js';
import type { ResponseRenderer } from './exchange-text.js';
import type { TargetRecord } from './target-record.js';

/**
 * Puts together what is expected of a target.
 *
 * @param pins outcomes that the target file states, by question; they win over a record
 * @param schema of successful bodies, as the target file states it
 * @param additive what becomes of members that were added to them
 */
export function createExpected(
  record: TargetRecord | undefined,
  pins: Readonly<Record<string, string>>,
  schema: object | undefined,
  additive?: AdditivePolicy,
): Baseline {
  const recorded = Object.entries(record?.questions ?? {}).map(([question, { outcome, request, response }]) => {
    const shown = response === undefined ? {} : { recorded: `${request ?? ''}\n${response}` };
    return [question, { outcome, statedBy: 'the record', ...shown }] as const;
  });
  const pinned = Object.entries(pins).map(
    ([question, outcome]) => [question, { outcome, statedBy: 'the target file' }] as const,
  );
  return {
    outcomes: new Map<string, ExpectedOutcome>([...recorded, ...pinned]),
    ...(additive === undefined ? {} : { additive }),
    schemas: [
      ...(record?.response_schema === undefined ? [] : [{ schema: record.response_schema, statedBy: 'the record' }]),
      ...(schema === undefined ? [] : [{ schema, statedBy: 'the target file' }]),
    ],
  };
}

/**
 * Results in which a change of shape stands once, in the first case that shows it, with the number of others: a member
 * that is new in every response is one change.
 */
export function mergeShapeDrift(results: readonly ShownResult[]): ShownResult[] {
  const counts = new Map<string, number>();
  for (const { message } of results.flatMap(({ drift }) => drift.filter(({ kind }) => kind !== 'outcome') as Shaped[]))
    counts.set(message, (counts.get(message) ?? 0) + 1);
  const said = new Set<string>();
  return results.map((result) => ({
    ...result,
    drift: result.drift.flatMap((drift): Drift[] => {
      if (drift.kind === 'outcome') return [drift];
      if (said.has(drift.message)) return [];
      said.add(drift.message);
      const others = (counts.get(drift.message) ?? 1) - 1;
      return [others === 0 ? drift : { ...drift, message: `${drift.message} So it is in ${others} more cases.` }];
    }),
  }));
}

/** The same without what may be added and is no drift. */
export function dropAdditions(results: readonly ShownResult[]): ShownResult[] {
  return mergeShapeDrift(results).map((result) => ({
    ...result,
    drift: result.drift.filter(({ kind }) => kind !== 'addition'),
  }));
}

type Shaped = Exclude<Drift, { kind: 'outcome' }>;

/** A drift in words, with what came back now and then, both behind bars. */
export function renderDrift(drift: Drift, { exchange: evidence }: ShownResult, responseText: ResponseRenderer): string {
  if (drift.kind !== 'outcome') return toOneLine(drift.message);
  const { question, outcome, expected } = drift;
  return [
    toOneLine(`${question} is '${outcome}'; ${expected.statedBy} says '${expected.outcome}'.`),
    ...(evidence === undefined ? [] : ['', 'Now:', ...quoteLines(responseText(evidence))]),
    ...(expected.recorded === undefined ? [] : ['', 'Then:', ...quoteLines(expected.recorded)]),
  ].join('\n');
}

/** What a comparison with a record leaves out, in words; undefined where it leaves out nothing. */
export function describeUncompared(record: TargetRecord, suite: Suite): string | undefined {
  const known = new Set(suite.contract.questions.map(({ id }) => id));
  const recorded = Object.keys(record.questions);
  const unknown = recorded.filter((id) => !known.has(id));
  const aside = unknown.length === 0 ? '' : ` It has answers to what is no question here: ${renderShortList(unknown)}.`;
  if (record.suite.digest === suite.digest) return aside === '' ? undefined : `The record differs.${aside}`;
  const both = recorded.length - unknown.length;
  // The world grows with the cases, and with it what responses hold.
  const bodies =
    record.response_schema === undefined
      ? ''
      : ' Where a body does not fit its schema, that may be by what the world has since: npx conformance record --update accepts it.';
  return `The record was made with ${record.suite.name} ${record.suite.version}, whose cases differ. Compared are the ${both} questions that both know.${aside}${bodies}`;
}
