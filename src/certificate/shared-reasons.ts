import type { Cause } from '../explanation/diagnose-run.js';
import { lackingCode, type Verdict } from '../judge/verdict.js';
import { notReachedReason, notSelectedReason } from '../run/case-result.js';
import { groupBy } from '../support/collections.js';
import type { CaseEntry } from './case-entry.js';

/** The number of cases from which a reason is reported once for all of them. */
const minShared = 4;

interface ReasonSource {
  readonly requirements: readonly { readonly id: string; readonly cases: readonly CaseEntry[] }[];
  readonly questions: readonly { readonly outcome: string | null; readonly code?: string; readonly reason?: string }[];
  readonly causes?: readonly Pick<Cause, 'requirements' | 'follows'>[];
}

/** A case that shares its reason with others. */
interface SharedCase {
  /** That of its requirement; empty if it answers a question. */
  readonly id: string;
  readonly code?: string | undefined;
  readonly verdict?: Verdict;
}

const unjudgedVerdicts: ReadonlySet<Verdict> = new Set(['inconclusive', 'not-run', 'not-applicable']);

/** Reasons of cases that were not run are shared, however few they are. */
const unrunCodes: readonly (string | undefined)[] = [notReachedReason.code, notSelectedReason.code];

/** Finds the reasons that several cases share: their cases, with the requirement of each; none if it answers a question. */
export function findSharedReasons({ requirements, questions }: ReasonSource) {
  const unjudged = [
    ...requirements.flatMap(({ id, cases }) =>
      cases.flatMap(({ verdict, code, reason }) =>
        unjudgedVerdicts.has(verdict) ? [{ verdict, code, reason, id }] : [],
      ),
    ),
    ...questions.flatMap(({ outcome, code, reason = '' }) => (outcome === null ? [{ code, reason, id: '' }] : [])),
  ];
  const groups = [...groupBy(unjudged, ({ reason }) => reason)];
  return new Map(
    groups.filter(
      ([reason, alike]) => unrunCodes.includes(alike[0].code) || (reason !== '' && alike.length >= minShared),
    ),
  );
}

/** A reason that several cases share, and a sentence that says it once for all of them. */
export interface SharedReason {
  readonly reason: string;
  readonly sentence: string;
  /** False if only questions have no answer for this reason: then it keeps no run from being complete. */
  readonly isAboutRequirements: boolean;
}

/** Lists the shared reasons that no cause explains. @param omitsUnselected for those who know what they selected */
export function listSharedReasons(source: ReasonSource, omitsUnselected = false): SharedReason[] {
  const total = source.questions.length + source.requirements.flatMap(({ cases }) => cases).length;
  const explained = new Set((source.causes ?? []).flatMap((cause) => [...cause.requirements, ...cause.follows]));
  return [...findSharedReasons(source)].flatMap(([reason, alike]) => {
    const cases = `${alike.length} of ${total} cases`;
    const lacking = [...new Set(alike.map(({ id }) => id))].filter((id) => id !== '');
    const isAboutRequirements = lacking.length > 0;
    const share = (sentence: string): SharedReason => ({ reason, sentence, isAboutRequirements });
    const [{ code }] = alike;
    if (code === notReachedReason.code) return share(`${cases} were not reached.`);
    if (code === notSelectedReason.code) {
      const which = isAboutRequirements ? ` Requirements that lack cases: ${lacking.join(', ')}.` : '';
      return omitsUnselected ? [] : share(`${cases} were not selected in this run.${which}`);
    }
    // Questions alone have no cause: what explains requirements explains them, too.
    const isExplained = explained.size > 0 && lacking.every((id) => explained.has(id));
    return isExplained ? [] : share(`${countUnjudged(source, alike, cases)}: ${reason}`);
  });
}

/** Says how many cases share a reason. @param cases that sentence for cases of any kind */
function countUnjudged(source: ReasonSource, alike: readonly SharedCase[], cases: string): string {
  const areQuestions = alike.every(({ id }) => id === '');
  if (areQuestions && alike[0]?.code === lackingCode)
    return `${alike.length} of ${source.questions.length} questions were not asked`;
  return describeAllRequirements(source, alike) ?? `${cases} were not judged`;
}

/** Says that no case of any requirement was judged; undefined if some case has another reason. */
function describeAllRequirements({ requirements }: ReasonSource, alike: readonly SharedCase[]): string | undefined {
  const ofRequirements = alike.filter(({ id }) => id !== '');
  const [verdict, ...others] = new Set(ofRequirements.map((entry) => entry.verdict));
  const isAll = ofRequirements.length === requirements.flatMap(({ cases }) => cases).length;
  if (!isAll || requirements.length < 2 || others.length > 0) return undefined;
  return `All ${requirements.length} requirements are ${verdict}`;
}
