import type { Suite } from '../cases/suite.js';
import type { CaseResult } from '../engine/case-result.js';
import type { Drift, Expected, ExpectedOutcome } from '../judge/drift.js';
import { behindBar, oneLine } from '../support/foreign-text.js';
import { someOf } from '../support/some-of.js';
import type { ResponseText } from './exchange-text.js';
import type { TargetRecord } from './record.js';

/**
 * Puts together what is expected of a target.
 *
 * @param pins outcomes that the target file states, by question; they win over a record
 * @param schema of successful bodies, as the target file states it
 */
export function expectedOf(
  record: TargetRecord | undefined,
  pins: Readonly<Record<string, string>>,
  schema: object | undefined,
): Expected {
  const recorded = Object.entries(record?.questions ?? {}).map(([question, { outcome, request, response }]) => {
    const shown = response === undefined ? {} : { recorded: `${request ?? ''}\n${response}` };
    return [question, { outcome, statedBy: 'the record', ...shown }] as const;
  });
  const pinned = Object.entries(pins).map(
    ([question, outcome]) => [question, { outcome, statedBy: 'the target file' }] as const,
  );
  return {
    outcomes: new Map<string, ExpectedOutcome>([...recorded, ...pinned]),
    schemas: [
      ...(record?.response_schema === undefined ? [] : [{ schema: record.response_schema, statedBy: 'the record' }]),
      ...(schema === undefined ? [] : [{ schema, statedBy: 'the target file' }]),
    ],
  };
}

/** A drift in words, with what came back now and then, both behind bars. */
export function driftText(drift: Drift, { evidence }: CaseResult, responseText: ResponseText): string {
  if (drift.kind === 'shape') return oneLine(drift.message);
  const { question, outcome, expected } = drift;
  return [
    oneLine(`${question} is '${outcome}'; ${expected.statedBy} says '${expected.outcome}'.`),
    ...(evidence === undefined ? [] : ['', 'Now:', ...behindBar(responseText(evidence))]),
    ...(expected.recorded === undefined ? [] : ['', 'Then:', ...behindBar(expected.recorded)]),
  ].join('\n');
}

/** What a comparison with a record leaves out, in words; undefined where it leaves out nothing. */
export function leftOutNote(record: TargetRecord, suite: Suite): string | undefined {
  const known = new Set(suite.ledger.questions.map(({ id }) => id));
  const recorded = Object.keys(record.questions);
  const unknown = recorded.filter((id) => !known.has(id));
  const aside = unknown.length === 0 ? '' : ` It has answers to what is no question here: ${someOf(unknown)}.`;
  if (record.suite.digest === suite.digest) return aside === '' ? undefined : `The record differs.${aside}`;
  const both = recorded.length - unknown.length;
  return `The record was made with ${record.suite.name} ${record.suite.version}, whose cases differ. Compared are the ${both} questions that both know.${aside}`;
}
