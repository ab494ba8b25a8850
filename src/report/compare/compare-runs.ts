/** Whether one target answers as another does: request by request, from what two runs kept, so that nothing is sent. */

import type { Suite } from '../../cases/suite.js';
import {
  calibrationPurpose,
  type ExchangeUse,
  type KeptExchange,
  type RunEvidence,
} from '../../engine/evidence-keeper.js';
import { renderCurlCommand } from '../../http/curl-command.js';
import type { Exchange } from '../../http/exchange.js';
import { explainTransientFailure, isSuccessful } from '../../http/response-status.js';
import { createRecognizer, type Recognizer } from '../../recognition/recognizer.js';
import { readReturnedTiers } from '../../recognition/returned-tiers.js';
import { determineReading, type TierReading } from '../../recognition/tier-reading.js';
import { renderShortList } from '../../support/render-short-list.js';
import { toOneLine } from '../../support/untrusted-text.js';

/** What a target answered in a run, and how its responses are read. */
export interface AnsweredRun {
  /** Of the target. */
  readonly name: string;
  readonly baseUrl: string;
  /** The same cases for both targets, each with the ids of its own. */
  readonly suite: Suite;
  /** The patterns under which the target file says returned tiers are named. */
  readonly tierPatterns?: readonly string[];
  readonly evidence: RunEvidence;
}

/** Requests that the two targets answer differently, all with the same difference. In pairs, what is of the model comes first. */
export interface AnswerDifference {
  readonly statuses: readonly [number, number];
  /** Names of tiers of the world that only one of them returns. */
  readonly only: readonly [readonly string[], readonly string[]];
  /** How many requests show it, each counted once. */
  requests: number;
  /** Where cases send them, in words. */
  readonly places: string[];
  /** Commands that send the first of them again, with the ids of each target. */
  readonly commands: readonly [string, string];
}

/** A request that says nothing of whether the targets are alike. */
export interface UncomparedRequest {
  readonly place: string;
  readonly reason: string;
  /** Whether they may differ there: not where the request was not for both, or both fail to answer alike. */
  readonly isOpen: boolean;
}

export interface RunComparison {
  /** How many requests were compared, each counted once. */
  readonly compared: number;
  readonly differences: readonly AnswerDifference[];
  readonly notCompared: readonly UncomparedRequest[];
}

/** What a target answered to a request. */
type Answer =
  | { readonly is: 'result'; readonly status: number; readonly tiers: readonly string[] }
  /** Neither status nor result that could be compared. */
  | { readonly is: 'nothing'; readonly what: string; readonly because: string }
  | { readonly is: 'unclear'; readonly because: string };

/** An answer, and the exchange that it was read from. */
interface Answered {
  readonly kept: KeptExchange;
  readonly answer: Answer;
}

/**
 * Compares the answers to the requests that cases sent to two targets: their status, and of successful ones the set of
 * tiers that were returned, by the names of the world. Of a tier for which a target has no id, nothing is said.
 */
export function compareRuns(model: AnsweredRun, other: AnsweredRun): RunComparison {
  const names = commonTiers(model.suite, other.suite);
  const [modelAnswers, otherAnswers] = [answersOf(model, names), answersOf(other, names)] as const;
  const compared = new Set<string>();
  const differences = new Map<string, AnswerDifference>();
  const notCompared: UncomparedRequest[] = [];
  for (const { id, rows } of model.suite.cases)
    for (const [row, { title, requests }] of rows.entries())
      for (const request of requests.keys()) {
        const place = `${id}${title === '' ? '' : `, ${title}`}: ${request}`;
        const pair = [modelAnswers(id, row, request), otherAnswers(id, row, request)] as const;
        const [one, two] = pair;
        if (one === undefined && two === undefined) continue;
        const why = whyNotCompared(pair, [model.name, other.name]);
        if (why !== undefined) notCompared.push({ place, ...why });
        if (one?.answer.is !== 'result' || two?.answer.is !== 'result' || why !== undefined) continue;
        const sent = JSON.stringify([one.kept.id, two.kept.id]);
        const isFirst = !compared.has(sent);
        compared.add(sent);
        const found = differenceOf(one.answer, two.answer);
        if (found === undefined) continue;
        const shown = JSON.stringify(found);
        const known = differences.get(shown) ?? {
          ...found,
          requests: 0,
          places: [],
          commands: [commandOf(one, model), commandOf(two, other)],
        };
        known.places.push(place);
        if (isFirst) known.requests += 1;
        differences.set(shown, known);
      }
  return { compared: compared.size, differences: [...differences.values()], notCompared };
}

/** Of two runs: whether the targets are alike, as far as was compared. */
export function judgeComparison({
  compared,
  differences,
  notCompared,
}: RunComparison): 'same' | 'different' | 'undetermined' {
  if (differences.length > 0) return 'different';
  return compared === 0 || notCompared.some(({ isOpen }) => isOpen) ? 'undetermined' : 'same';
}

/** The names of the tiers that both targets have, by the id under which each of them has it. */
function commonTiers(...suites: readonly Suite[]): (suite: Suite, id: string) => string | undefined {
  const namesIn = ({ world: { ids, unavailable } }: Suite) =>
    new Map([...ids.tier].filter(([, id]) => !unavailable.has(id)).map(([name, id]) => [id, name]));
  const named = new Map(suites.map((suite) => [suite, namesIn(suite)]));
  const sets = [...named.values()].map((byId) => new Set(byId.values()));
  return (suite, id) => {
    const name = named.get(suite)?.get(id);
    return name !== undefined && sets.every((set) => set.has(name)) ? name : undefined;
  };
}

/**
 * Reads what a target answered: the responses of a case together, as they are when the case is judged.
 *
 * @returns the answer to a request of a case when it was first sent; undefined where it was not
 */
function answersOf(
  run: AnsweredRun,
  nameOf: ReturnType<typeof commonTiers>,
): (testCase: string, row: number, request: string) => Answered | undefined {
  const recognizer = createRecognizer(run.suite.world);
  const byId = new Map([...run.evidence.exchanges].map((kept) => [kept.id, kept]));
  const sentTogether = new Map<string, ExchangeUse[]>();
  for (const use of run.evidence.uses) {
    const together = JSON.stringify([use.case, use.attempt]);
    sentTogether.set(together, [...(sentTogether.get(together) ?? []), use]);
  }
  const namingsOf = (uses: readonly ExchangeUse[]) =>
    [...new Set(uses.map(({ id }) => id))].flatMap((id) => {
      const exchange = byId.get(id)?.exchange;
      return exchange !== undefined && isSuccess(exchange) ? [recognizer.findMentions(exchange.response.body)] : [];
    });
  const calibration = namingsOf(run.evidence.uses.filter((use) => use.case === calibrationPurpose));
  const answers = new Map<string, Answered>();
  const toEqual = new Map<string, Set<string>>();
  for (const uses of sentTogether.values()) {
    const reading = determineReading([...calibration, ...namingsOf(uses)], run.tierPatterns);
    for (const use of uses) {
      const kept = byId.get(use.id);
      if (kept === undefined) continue;
      const answer = answerIn(kept.exchange, recognizer, reading, (id) => nameOf(run.suite, id));
      if (use.attempt === 1) answers.set(placeOf(use.case, use.row, use.request), { kept, answer });
      if (answer.is === 'result')
        toEqual.set(kept.key, (toEqual.get(kept.key) ?? new Set()).add(JSON.stringify(answer)));
    }
  }
  return (testCase, row, request) => {
    const answered = answers.get(placeOf(testCase, row, request));
    // What differs between two runs proves nothing where it differs within one.
    const isUnstable = (toEqual.get(answered?.kept.key ?? '')?.size ?? 0) > 1;
    return answered !== undefined && isUnstable ? { ...answered, answer: unstable } : answered;
  };
}

const unstable: Answer = { is: 'unclear', because: 'it answers this request now so, now otherwise' };

function placeOf(testCase: string, row: number, request: string): string {
  return JSON.stringify([testCase, row, request]);
}

function answerIn(
  exchange: Exchange,
  recognizer: Recognizer,
  reading: TierReading,
  nameOf: (id: string) => string | undefined,
): Answer {
  const because = explainTransientFailure(exchange);
  if (!('response' in exchange)) return { is: 'nothing', what: exchange.transportError, because: because ?? '' };
  const { status, body } = exchange.response;
  if (because !== undefined) return { is: 'nothing', what: String(status), because };
  if (!isSuccess(exchange)) return { is: 'result', status, tiers: [] };
  const result = readReturnedTiers(recognizer.findMentions(body), reading);
  const namesOf = (ids: Iterable<string>) => [...new Set([...ids].flatMap((id) => nameOf(id) ?? []))].sort();
  if (namesOf(result.unclear).length > 0) return { is: 'unclear', because: result.reason };
  return { is: 'result', status, tiers: namesOf(result.returned) };
}

function isSuccess(exchange: Exchange): exchange is Extract<Exchange, { response: unknown }> {
  return 'response' in exchange && isSuccessful(exchange.response);
}

/** What the suite did not send says nothing of a target. */
const notSent = 'not-sent';

function whyNotCompared(
  pair: readonly [Answered | undefined, Answered | undefined],
  names: readonly [string, string],
): Omit<UncomparedRequest, 'place'> | undefined {
  const [one, two] = pair.map((each) => each?.answer);
  if (one === undefined || two === undefined)
    return { reason: `${names[one === undefined ? 0 : 1]} did not get it.`, isOpen: false };
  const unread = [one, two].flatMap((answer, n) =>
    answer.is === 'result' ? [] : [`${names[n]}: ${toOneLine(answer.because)}`],
  );
  if (unread.length === 0) return undefined;
  const areAlike = one.is === 'nothing' && two.is === 'nothing' && one.what === two.what && one.what !== notSent;
  return { reason: unread.join(' '), isOpen: !areAlike };
}

function differenceOf(
  one: Extract<Answer, { is: 'result' }>,
  two: Extract<Answer, { is: 'result' }>,
): Pick<AnswerDifference, 'statuses' | 'only'> | undefined {
  const without = (tiers: readonly string[], others: readonly string[]) =>
    tiers.filter((name) => !others.includes(name));
  const only = [without(one.tiers, two.tiers), without(two.tiers, one.tiers)] as const;
  if (one.status === two.status && only.every(({ length }) => length === 0)) return undefined;
  return { statuses: [one.status, two.status], only };
}

function commandOf({ kept: { exchange } }: Answered, { baseUrl }: AnsweredRun): string {
  return renderCurlCommand(exchange.request, baseUrl).split('\n').map(toOneLine).join('\n');
}

/**
 * A comparison for people, as Markdown: the sum, each difference with the requests that show it, and what was not
 * compared.
 *
 * @param names of the model and of the other target
 * @param max of differences, and of what was not compared
 */
export function renderRunComparison(
  likeness: RunComparison,
  names: readonly [string, string],
  max = Number.POSITIVE_INFINITY,
): string {
  const [model, other] = names.map(toOneLine) as [string, string];
  const { compared, differences, notCompared } = likeness;
  const sum = differences.reduce((total, { requests }) => total + requests, 0);
  const rest = (list: readonly unknown[]) => (list.length > max ? [`… and ${list.length - max} more.`, ''] : []);
  const lines = [
    `# ${other} compared with ${model}`,
    '',
    `${counted(compared, 'request')} compared, ${sum} answered differently; ${notCompared.length} not compared. ${sumIn[judgeComparison(likeness)]}`,
    '',
    ...differences.slice(0, max).flatMap(({ statuses, only, requests, places, commands }, n) => [
      `## ${n + 1}. ${toOneLine(places[0] ?? '')}`,
      '',
      ...(statuses[0] === statuses[1] ? [] : [`- status: ${model} ${statuses[0]}, ${other} ${statuses[1]}`]),
      ...[model, other].flatMap((name, which) => {
        const tiers = only[which] ?? [];
        return tiers.length === 0 ? [] : [`- only ${name} returns: ${toOneLine(renderShortList(tiers))}`];
      }),
      ...(places.length === 1
        ? []
        : [`- so in ${counted(requests, 'request')}, which stand in: ${toOneLine(renderShortList(places.slice(1)))}`]),
      ...[model, other].flatMap((name, which) => ['', `Sent to ${name}:`, '', ...indented(commands[which] ?? '')]),
      '',
    ]),
    ...rest(differences),
    ...(notCompared.length === 0 ? [] : ['## Not compared', '']),
    ...notCompared.slice(0, max).map(({ place, reason }) => `- ${toOneLine(place)}. ${toOneLine(reason)}`),
    ...(notCompared.length === 0 ? [] : ['']),
    ...rest(notCompared),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

const sumIn = {
  same: 'They answer alike.',
  different: 'They do not answer alike.',
  undetermined: 'Whether they answer alike could not be determined.',
} as const;

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function indented(text: string): string[] {
  return text.split('\n').map((line) => `    ${line}`);
}
