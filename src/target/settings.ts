import { existsSync } from 'node:fs';
import path from 'node:path';
import { findCasesByName, matchCases, type RunScope, selectCases, selectFromSuite } from '../cases/case-selection.js';
import { isDataCase } from '../cases/data-cases.js';
import { isOwnCase, type Suite } from '../cases/suite.js';
import { type TestCase, tag } from '../cases/test-case.js';
import { referenceNotice } from '../certificate/notices.js';
import type { NamedWorld } from '../contract/named-world.js';
import { createRedactor } from '../http/redactor.js';
import type { ResultsDestination } from '../outputs/result-files.js';
import { type Baseline, createBaseline, describeUncompared } from '../record/drift.js';
import { type KnownFile, readKnownDeviations } from '../record/known-deviations.js';
import { readRecord } from '../record/target-record.js';
import { type QuickRows, readDiscriminatingRows, selectQuickRows } from '../run/quick-rows.js';
import type { EngineOptions } from '../run/run.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { type Problem, refuse, UnusableInput } from '../support/problem.js';
import { suggest } from '../support/suggest.js';
import { toOneLine } from '../support/untrusted-text.js';
import type { RunOptions } from './run-options.js';
import type { LoadedTarget, Target } from './target.js';
import { listSecrets, type TargetConnection } from './target-connection.js';

/**
 * The settings of a run, without the connection to the target. They contain no secrets: those are in `TargetConnection`.
 */
export interface RunSettings {
  readonly target: Target;
  readonly expected: Baseline;
  /** What is known to be wrong with the target, if a file says so. */
  readonly known?: KnownFile;
  /** Whether cases with bad credentials, oversized bodies or other methods are excluded. */
  readonly excludesIntrusive: boolean;
  /** The ids of the cases to run. Default: all. */
  readonly only?: readonly string[];
  readonly quick?: QuickRows;
  readonly notes: readonly string[];
  readonly destination: ResultsDestination;
}

/**
 * Reads the settings of a run and the files that they name.
 *
 * @param suite with the ids of the target
 * @throws UnusableInput with every problem of the files
 */
export function loadSettings(
  { target, connection, pins, intrusive, record: stated, known, notes }: Omit<LoadedTarget, 'availability' | 'cases'>,
  options: RunOptions,
  suite: Suite,
): RunSettings {
  const problems = [...findPinProblems(pins, suite), ...findSecretsInRequests(connection, suite)];
  if (problems.length > 0) throw new UnusableInput(problems);
  const recordTo = findRecordToWrite(options, stated);
  // Fails if the file is not a record, so that nothing else is overwritten.
  if (recordTo && existsSync(recordTo)) readRecord(recordTo);
  const usual = recordTo ?? stated;
  const { against = usual !== undefined && existsSync(usual) && usual } = options;
  const record = against ? readRecord(against) : undefined;
  const outcomes = Object.fromEntries(pins.map(({ question, outcome }) => [question, outcome]));
  const knownFile = findKnownFile(options, known);
  // Data that nobody made for tests may be that of production.
  const excludesIntrusive = !(options.intrusive ?? intrusive ?? suite.data === undefined);
  return {
    target,
    expected: createBaseline(record, outcomes, against || undefined),
    ...omitUndefined({ known: knownFile ? readKnownDeviations(knownFile, suite.contract) : undefined }),
    excludesIntrusive,
    notes: [
      ...listTargetNotes(target, suite.world.ownPromotions),
      ...notes,
      ...(record === undefined ? [] : describeUncompared(record, suite)),
      ...(stated === undefined || recordTo !== undefined || options.against !== undefined || record !== undefined
        ? []
        : [`No answer was compared: there is no record ${stated} yet. npx conformance record writes it.`]),
    ],
    ...readSelection(options, suite, { excludesIntrusive }),
    destination: {
      out: options.out ?? path.join('results', createFolderName(target.name)),
      ...omitUndefined({ recordTo, recordKnownTo: options.recordKnownTo }),
    },
  };
}

/**
 * Finds out where the options want a record.
 *
 * @param stated in the target file
 * @throws UnusableInput if nothing names a file
 */
export function findRecordToWrite({ recordTo, recordKnownTo }: RunOptions, stated?: string): string | undefined {
  if (recordTo !== true) return recordTo;
  if (stated === undefined && recordKnownTo !== undefined) return undefined;
  const hint = 'Use --to, or add a line to the target file, such as record: record.yaml';
  if (stated === undefined) throw refuse('record', 'nothing names the file of the record', hint);
  return stated;
}

/** A file that is to be written need not be there. */
function findKnownFile({ known, recordKnownTo }: RunOptions, stated: string | undefined): string | undefined {
  if (recordKnownTo === undefined) return known ?? stated;
  return existsSync(recordKnownTo) ? recordKnownTo : undefined;
}

/**
 * Loads what is known to be wrong with a target. The mistakes of the reference deployment are loaded only where a file lists
 * deviations.
 *
 * @throws UnusableInput if the file names an unknown cause
 */
export async function loadKnown({ known: file }: Pick<RunSettings, 'known'>, world: NamedWorld) {
  if (file === undefined) return {};
  const { createKnownMistakes, readKnownCauses } = await import('../certificate/diagnosis/known-causes.js');
  const known = readKnownCauses(file, world);
  const behaviour = known.causes.length === 0 ? undefined : createKnownMistakes(known, world);
  return { known, options: omitUndefined({ known: behaviour, knownRequirements: known.requirements }) };
}

/** Lists what a reader of results must know of the target. */
function listTargetNotes(
  { kind, transport, tierPatterns, mentionFilter }: Target,
  ownPromotions: number | undefined,
): string[] {
  const where = JSON.stringify(mentionFilter?.where ?? {});
  const stated = 'The target file states';
  return [
    kind === 'reference' ? referenceNotice : undefined,
    transport &&
      `Through a transport: ${toOneLine(transport.name)}, ${transport.digest}. The documented operation was not certified.`,
    tierPatterns && `${stated} where responses name promotions: ${toOneLine(tierPatterns.join(', '))}.`,
    where === '{}' ? undefined : `${stated} which of them were returned: ${toOneLine(where)}.`,
    ownPromotions === undefined
      ? undefined
      : `${stated} that ${ownPromotions} of the newest 150 promotions are the deployment's own.`,
  ].filter((note) => note !== undefined);
}

/**
 * Selects cases and rows.
 *
 * @param recordedOnly the ids of the cases of an earlier run, if the options name none
 * @throws UnusableInput for unknown names, and if `--quick` has no row of the selected cases
 */
export function readSelection(
  options: RunOptions,
  suite: Suite,
  scope: RunScope,
  recordedOnly?: readonly string[],
): Pick<RunSettings, 'only' | 'quick'> {
  const only = options.only === undefined ? recordedOnly : findCasesByName(options.only, suite, '--only');
  if (!options.quick) return omitUndefined({ only });
  if (suite.data !== undefined)
    throw refuse('--quick', 'needs the test data of the suite', "Set 'requests' in the target file.");
  const quick = selectQuickRows(selectFromSuite(suite, omitUndefined({ only })), readDiscriminatingRows(), scope);
  if (quick.rows.size === 0)
    throw refuse('--quick', 'sends no row of the selected cases', 'Select other cases, or leave out --quick.');
  return { quick, ...omitUndefined({ only }) };
}

/** The cases that flags select. Which of them a target has the data for is known in its worker. */
export function selectTests({ only, quick }: RunOptions, whole: Suite): readonly TestCase[] {
  // An unknown name is a case of another folder, or a mistake that was reported before.
  const cases = selectCases(whole, only === undefined ? {} : { only: matchCases(only, whole).ids });
  if (!quick) return cases;
  const discriminating = new Set(readDiscriminatingRows().rows.map((row) => row.case));
  return cases
    .filter(({ id }) => discriminating.has(id))
    .map((testCase) => ({ ...testCase, tags: testCase.tags.filter((name) => name !== tag.sample) }));
}

/** Converts settings to options of the engine. */
export function createEngineOptions(settings: RunSettings): EngineOptions {
  const { target, expected, excludesIntrusive, destination } = settings;
  return {
    ...target,
    expected,
    excludesIntrusive,
    infersShape: destination.recordTo !== undefined,
  };
}

/** Converts the name of a target to a folder name. */
export function createFolderName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]+|^\.+/g, '-');
}

/** Redaction would change these texts in the evidence: `verify` could not judge it again. */
function findSecretsInRequests(connection: TargetConnection, { cases, world }: Suite): Problem[] {
  const texts = new Set([
    ...Object.values(world.ids).flatMap((ids) => [...ids.values()]),
    // Drawn requests have the same headers as those of questions.
    ...cases
      .filter((testCase) => !isDataCase(testCase))
      .flatMap((testCase) =>
        testCase.rows
          .flatMap(({ requests }) => [...requests.values()])
          // Evidence has query and body of the suite's own requests as they are.
          .flatMap(({ path, headers, body = '' }) => [...(isOwnCase(testCase) ? [path, body] : []), ...headers.flat()]),
      ),
  ]);
  return listSecrets(connection).flatMap((secret) => {
    const redact = createRedactor([secret]);
    if ([...texts].every((text) => redact(text) === text)) return [];
    const at = { setting: secret.placeholder.slice(1) };
    const message = 'its value is a part of an id or of a request, so it cannot be hidden in the evidence';
    return [{ at, message, hint: 'Use another value. A header that is no secret needs no variable.' }];
  });
}

function findPinProblems(pins: LoadedTarget['pins'], { contract }: Suite): Problem[] {
  return pins.flatMap(({ question: id, outcome, at }) => {
    const answer = contract.questions.find((question) => question.id === id)?.answer;
    if (answer === undefined) {
      const known = contract.questions.map((question) => question.id);
      return [{ at, message: `unknown question '${id}'`, hint: suggest(id, known) }];
    }
    if (answer.kind === 'value' || answer.outcomes.has(outcome)) return [];
    return [
      { at, message: `'${id}' has no outcome '${outcome}'`, hint: suggest(outcome, [...answer.outcomes.keys()]) },
    ];
  });
}
