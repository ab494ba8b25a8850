import type { Suite } from '../cases/suite.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { renderShortList } from '../support/render-short-list.js';
import type { AdditivePolicy, Baseline, ExpectedOutcome } from './drift.js';
import type { TargetRecord } from './target-record.js';

/**
 * Creates what a target is compared with.
 *
 * @param pins outcomes from the target file, by question; they win over the record
 * @param schema of successful bodies, from the target file
 */
export function createBaseline(
  record: TargetRecord | undefined,
  pins: Readonly<Record<string, string>>,
  schema: object | undefined,
  additive?: AdditivePolicy,
): Baseline {
  const recorded = Object.entries(record?.questions ?? {}).map(([question, answer]) => {
    const { outcome, request, response } = answer;
    const shown = response === undefined ? {} : { recorded: `${request ?? ''}\n${response}` };
    return [question, { outcome, statedBy: 'the record', ...shown }] as const;
  });
  const pinned = Object.entries(pins).map(
    ([question, outcome]) => [question, { outcome, statedBy: 'the target file' }] as const,
  );
  return {
    outcomes: new Map<string, ExpectedOutcome>([...recorded, ...pinned]),
    ...omitUndefined({ additive }),
    schemas: [
      ...(record?.response_schema === undefined ? [] : [{ schema: record.response_schema, statedBy: 'the record' }]),
      ...(schema === undefined ? [] : [{ schema, statedBy: 'the target file' }]),
    ],
  };
}

/** Describes what a comparison with a record leaves out; undefined if the suite has the same cases. */
export function describeUncompared({ suite: recorded, questions }: TargetRecord, suite: Suite): string | undefined {
  if (recorded.digest === suite.digest) return undefined;
  const known = new Set(suite.contract.questions.map(({ id }) => id));
  const unknown = Object.keys(questions).filter((id) => !known.has(id));
  const aside = unknown.length === 0 ? '' : ` Not compared: ${renderShortList(unknown)}.`;
  return `The record was made with other cases, those of ${recorded.name} ${recorded.version}.${aside} If a body does not fit its schema, the world may have grown: npx conformance record --update accepts the body.`;
}
