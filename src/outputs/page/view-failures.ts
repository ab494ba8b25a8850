/** What is wrong: each cause of a run with the requests that show it, and each failing requirement that no cause explains. */

import { type CaseEntry, isFailingVerdict } from '../../certificate/case-entry.js';
import type { CauseEntry, CauseExample } from '../../certificate/cause-entry.js';
import type { Certificate } from '../../certificate/certificate.js';
import { isKnownFailure, type RequirementEntry } from '../../certificate/judged-requirement.js';
import { getVerdictApartFromKnown } from '../../run/case-result.js';
import { labelContrast } from '../label-contrast.js';
import { type ShownSection, showDifference, showSections, showText } from './shown-text.js';

export interface FailureView {
  /** From 1, in the order of the page. */
  readonly number: number;
  readonly verdict: 'fail' | 'inconclusive';
  readonly sentence: string;
  readonly evidence: readonly string[];
  readonly fails: readonly LinkView[];
  readonly follows: readonly LinkView[];
  readonly examples: readonly ExampleView[];
}

interface LinkView {
  readonly id: string;
  readonly separator: string;
}

/** A request with its response. */
interface ExampleView {
  readonly label: string;
  readonly kind: 'first' | 'wrong' | 'right';
  readonly case: string;
  readonly reason: string;
  readonly sections: readonly ShownSection[];
}

/** Lists the failures of a run: what is explained first, then the failing requirements that no cause names. */
export function viewFailures({ causes = [], requirements }: Certificate): FailureView[] {
  const failures = requirements.flatMap(listFailures);
  const explained = new Set(causes.flatMap((cause) => [...cause.requirements, ...cause.follows]));
  const unexplained = requirements.filter(
    (entry) => isFailingVerdict(entry.verdict) && !isKnownFailure(entry) && !explained.has(entry.id),
  );
  const views = [
    ...causes.map((cause) => viewCause(cause, failures)),
    ...unexplained.map((requirement) => viewUnexplained(requirement)),
  ];
  return views.map((view, n) => ({ number: n + 1, ...view }));
}

/** Lists the cases that fail and are not known, the one with the shortest request first: it is the easiest to read. */
function listFailures({ cases }: RequirementEntry): CaseEntry[] {
  return sortByRequest(cases.filter((entry) => isFailingVerdict(getVerdictApartFromKnown(entry))));
}

/** Sorts cases by the length of the command that repeats their request. */
export function sortByRequest(cases: readonly CaseEntry[]): CaseEntry[] {
  const measure = ({ repeat_with }: CaseEntry) => repeat_with?.length ?? Number.POSITIVE_INFINITY;
  return cases.toSorted((left, right) =>
    measure(left) < measure(right) ? -1 : Number(measure(left) > measure(right)),
  );
}

function viewCause(cause: CauseEntry, failures: readonly CaseEntry[]): Omit<FailureView, 'number'> {
  const { sentence, evidence, requirements, follows } = cause;
  const [smallest] = sortByRequest(failures.filter(({ id }) => cause.cases.includes(id)));
  const contrast = viewContrast(cause);
  const example = smallest === undefined ? [] : [viewCase(smallest)];
  return {
    verdict: requirements.length > 0 ? 'fail' : 'inconclusive',
    sentence,
    evidence,
    fails: listLinks(requirements),
    follows: listLinks(follows),
    examples: contrast.length > 0 ? contrast : example,
  };
}

function viewUnexplained(requirement: RequirementEntry): Omit<FailureView, 'number'> {
  return {
    verdict: 'fail',
    sentence: requirement.statement,
    evidence: [],
    fails: listLinks([requirement.id]),
    follows: [],
    examples: listFailures(requirement).slice(0, 1).map(viewCase),
  };
}

function viewCase(entry: CaseEntry): ExampleView {
  return {
    label: 'Smallest failing request',
    kind: 'wrong',
    case: entry.id,
    reason: entry.reason,
    sections: viewFailingCase(entry),
  };
}

/** What shows that a case fails: what was expected, the request, and what came back. */
export function viewFailingCase({ expected, received, repeat_with }: CaseEntry): ShownSection[] {
  return showSections({ Expected: expected, 'Send it again with': repeat_with, Received: received });
}

const headings = {
  first: 'First',
  second: 'Second, wrong after the first',
  wrong: 'Wrong',
  right: 'Right',
  alone: 'Right, if it is sent alone',
};
const kinds = { first: 'first', second: 'wrong', wrong: 'wrong', right: 'right', alone: 'right' } as const;

/** The requests of a contrast, each with what came back, and with a mark on what decides. */
function viewContrast(contrast: CauseEntry): ExampleView[] {
  const labelled = labelContrast(contrast);
  const find = (wanted: string) => labelled.find(({ label }) => label === wanted)?.example;
  // What decides is the difference between an earlier request and the one that it makes wrong, or else that to the right one.
  const compared = {
    first: find('second'),
    second: find('first'),
    wrong: find('right'),
    right: find('wrong'),
    alone: undefined,
  };
  return labelled.map(({ label, example }) => viewExample(example, compared[label], headings[label], kinds[label]));
}

/** @param compared the request that this one is compared with */
function viewExample(
  { repeat_with, received }: CauseExample,
  compared: CauseExample | undefined,
  label: string,
  kind: ExampleView['kind'],
): ExampleView {
  const request = compared === undefined ? showText(repeat_with) : showDifference(repeat_with, compared.repeat_with);
  const sections = [
    { label: 'Request', ...request },
    { label: 'Response', ...showText(received) },
  ];
  return { label, kind, case: '', reason: '', sections };
}

function listLinks(ids: readonly string[]): LinkView[] {
  return ids.map((id, n) => ({ id, separator: n === 0 ? '' : ', ' }));
}
