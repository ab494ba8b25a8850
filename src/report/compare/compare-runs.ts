/** Compares the answers of two targets, request by request, from the evidence of two runs. Nothing is sent. */

import type { Suite } from '../../cases/suite.js';
import type { RunEvidence } from '../../engine/evidence-keeper.js';
import { renderCurlCommand } from '../../http/curl-command.js';
import { type Exchange, getSentRequest, serializeRequest, type TransportErrorKind } from '../../http/exchange.js';
import { explainTransientFailure } from '../../http/response-status.js';
import { createRecognizer } from '../../recognition/recognizer.js';
import type { MentionFilter } from '../../recognition/sibling-values.js';
import { toOneLine } from '../../support/untrusted-text.js';
import type { NamedWorld } from '../../world/named-world.js';
import { indexExchanges, type ReadExchange, readTogether } from '../exchange-index.js';
import { groupBy } from '../group-by.js';
import { classifyRequest, type RequestKind } from './request-kind.js';

/** The run of one target, with what is needed to read its responses. */
export interface AnsweredRun {
  /** Of the target. */
  readonly name: string;
  readonly baseUrl: string;
  /** The same cases for both targets, each with the ids of its own. */
  readonly suite: Suite;
  /** The patterns under which, by the target file, returned tiers are named. */
  readonly tierPatterns?: readonly string[];
  readonly mentionFilter?: MentionFilter;
  readonly evidence: RunEvidence;
}

/** How the other target answers, compared with the model: with fewer promotions, with more, with an error, or otherwise. */
export const relations = ['narrower', 'wider', 'refused', 'different'] as const;
export type Relation = (typeof relations)[number];

/** Requests of one kind that the targets answer differently in one way. In pairs, the model comes first. */
export interface AnswerDifference {
  readonly kind: RequestKind;
  readonly relation: Relation;
  /** How many different requests show it. */
  readonly requests: number;
  /** Cases, rows and names of the requests; the first is that of the smallest one. */
  readonly places: readonly string[];
  /** The statuses of the smallest request. */
  readonly statuses: readonly [number, number];
  /** Names of tiers that only one of them returns for it. */
  readonly only: readonly [readonly string[], readonly string[]];
  /** Commands that send it again to each target. */
  readonly commands: readonly [string, string];
}

/** A request that shows nothing about a difference. */
export interface UncomparedRequest {
  readonly kind: RequestKind;
  readonly place: string;
  readonly reason: string;
  /** Whether the targets may differ: not if one did not get the request, or if both failed in the same way. */
  readonly isOpen: boolean;
}

export interface RunComparison {
  /** How many different requests were compared. */
  readonly compared: number;
  /** The same by kind. */
  readonly comparedByKind: ReadonlyMap<RequestKind, number>;
  readonly differences: readonly AnswerDifference[];
  readonly notCompared: readonly UncomparedRequest[];
}

type Answer =
  | { readonly is: 'result'; readonly status: number; readonly tiers: readonly string[] }
  /** Nothing to compare. `failure` is the kind of transport error, or the transient status. */
  | { readonly is: 'unread'; readonly reason: string; readonly failure?: string };

/** An answer with its exchange, which equal requests share. */
interface Answered {
  readonly id: string;
  readonly exchange: Exchange;
  readonly answer: Answer;
}

/**
 * Compares the answers of two targets to the requests of the same cases: the status, and the set of returned tiers by
 * name. Tiers that one of the targets does not have are left out.
 *
 * @param model the run that the other one should be like
 */
export function compareAnsweredRuns(model: AnsweredRun, other: AnsweredRun): RunComparison {
  const [modelNames, otherNames] = nameSharedTiers(model.suite.world, other.suite.world);
  const [modelAnswers, otherAnswers] = [readAnswers(model, modelNames), readAnswers(other, otherNames)] as const;
  const compared = new Map<string, RequestKind>();
  const found: ShownDifference[] = [];
  const notCompared: UncomparedRequest[] = [];
  for (const { id, rows } of model.suite.cases)
    for (const [row, { title, requests }] of rows.entries())
      for (const [name, request] of requests) {
        const place = `${id}${title === '' ? '' : `, ${title}`}: ${name}`;
        const pair = [modelAnswers(id, row, name), otherAnswers(id, row, name)] as const;
        const [one, two] = pair;
        if (one === undefined && two === undefined) continue;
        const kind = classifyRequest(request, model.suite.world);
        const why = explainUncompared(pair, [model.name, other.name]);
        if (why !== undefined) notCompared.push({ kind, place, ...why });
        if (one?.answer.is !== 'result' || two?.answer.is !== 'result') continue;
        // Equal requests of several cases share an exchange and count once.
        const sent = JSON.stringify([one.id, two.id]);
        compared.set(sent, kind);
        const difference = findDifference(one.answer, two.answer);
        if (difference !== undefined) found.push({ ...difference, kind, sent, place, pair: [one, two] });
      }
  const groups = groupBy(found, ({ kind, relation }) => `${kind} ${relation}`);
  const ofKind = groupBy([...compared.values()], (kind) => kind);
  return {
    compared: compared.size,
    comparedByKind: new Map([...ofKind].map(([kind, { length }]) => [kind, length])),
    differences: [...groups.values()].map((group) => summarizeDifferences(group, model, other)),
    notCompared,
  };
}

interface ShownDifference extends Pick<AnswerDifference, 'kind' | 'relation' | 'statuses' | 'only'> {
  /** The same for equal requests. */
  readonly sent: string;
  readonly place: string;
  readonly pair: readonly [Answered, Answered];
}

/** @param all of one kind and relation */
function summarizeDifferences(
  all: readonly ShownDifference[],
  model: AnsweredRun,
  other: AnsweredRun,
): AnswerDifference {
  const getLength = ({ pair: [one] }: ShownDifference) => serializeRequest(one.exchange.request).length;
  const bySize = all.toSorted((one, two) => getLength(one) - getLength(two));
  const { kind, relation, statuses, only, pair } = bySize[0] as ShownDifference;
  return {
    ...{ kind, relation, statuses, only },
    requests: new Set(all.map(({ sent }) => sent)).size,
    places: bySize.map(({ place }) => place),
    commands: [renderCommand(pair[0], model), renderCommand(pair[1], other)],
  };
}

/** Judges whether the targets are alike, as far as they were compared. */
export function judgeComparison(comparison: RunComparison): 'same' | 'different' | 'undetermined' {
  const { compared, differences, notCompared } = comparison;
  if (differences.length > 0) return 'different';
  return compared === 0 || notCompared.some(({ isOpen }) => isOpen) ? 'undetermined' : 'same';
}

/** Lists the names of the tiers that both targets have, by the ids of each target. */
function nameSharedTiers(...worlds: readonly [NamedWorld, NamedWorld]) {
  const isShared = (name: string) =>
    worlds.every(({ ids, unavailable }) => ids.tier.has(name) && !unavailable.has(ids.tier.get(name) ?? ''));
  const nameTiers = ({ ids }: NamedWorld) =>
    new Map([...ids.tier].filter(([name]) => isShared(name)).map(([name, id]) => [id, name]));
  return [nameTiers(worlds[0]), nameTiers(worlds[1])] as const;
}

/** Reads the answers of a target. @returns a lookup of the first answer to a request of a case */
function readAnswers(
  { suite, evidence, tierPatterns, mentionFilter }: AnsweredRun,
  names: ReadonlyMap<string, string>,
): (caseId: string, row: number, request: string) => Answered | undefined {
  const index = indexExchanges(evidence, createRecognizer(suite.world, mentionFilter));
  const answers = new Map<string, Answered>();
  const answersByRequest = new Map<string, Set<string>>();
  for (const caseId of new Set(evidence.uses.map((use) => use.case)))
    for (const [attempt, together] of groupBy(index.listByCase(caseId), (each) => each.attempt))
      for (const each of readTogether(together, index, tierPatterns)) {
        const answer = readAnswer(each, names);
        if (attempt === 1) answers.set(JSON.stringify([caseId, each.row, each.request]), { ...each, answer });
        const sent = serializeRequest(each.exchange.request);
        if (answer.is === 'result')
          answersByRequest.set(sent, (answersByRequest.get(sent) ?? new Set()).add(JSON.stringify(answer)));
      }
  return (caseId, row, request) => {
    const answered = answers.get(JSON.stringify([caseId, row, request]));
    if (answered === undefined) return undefined;
    // A difference between two runs proves nothing if it also occurs within one.
    const isUnstable = (answersByRequest.get(serializeRequest(answered.exchange.request))?.size ?? 0) > 1;
    return isUnstable
      ? { ...answered, answer: { is: 'unread', reason: 'its answers to this request differ' } }
      : answered;
  };
}

function readAnswer({ exchange, result }: ReadExchange, names: ReadonlyMap<string, string>): Answer {
  const failure = explainTransientFailure(exchange);
  if (!('response' in exchange)) return { is: 'unread', failure: exchange.transportError, reason: failure ?? '' };
  const { status } = exchange.response;
  if (failure !== undefined) return { is: 'unread', failure: String(status), reason: failure };
  if (result === undefined) return { is: 'result', status, tiers: [] };
  const { returned, unclear, reason } = result;
  const listNames = (ids: Iterable<string>) => [...new Set([...ids].flatMap((id) => names.get(id) ?? []))].sort();
  if (listNames(unclear).length > 0) return { is: 'unread', reason };
  return { is: 'result', status, tiers: listNames(returned) };
}

/** A request that the suite did not send shows nothing about a target. */
const notSent = 'not-sent' satisfies TransportErrorKind;
const unsupported = 'unsupported' satisfies TransportErrorKind;

function explainUncompared(
  pair: readonly [Answered | undefined, Answered | undefined],
  names: readonly [string, string],
): Omit<UncomparedRequest, 'place' | 'kind'> | undefined {
  const [one, two] = pair.map((each) => each?.answer);
  if (one === undefined || two === undefined)
    return { reason: `${names[one === undefined ? 0 : 1]} did not get this request.`, isOpen: false };
  const unread = [one, two].flatMap((answer, n) =>
    answer.is === 'result' ? [] : [`${names[n]}: ${toOneLine(answer.reason)}`],
  );
  if (unread.length === 0) return undefined;
  const [failure, otherFailure] = [one, two].map((answer) => (answer.is === 'unread' ? answer.failure : undefined));
  const areAlike = failure !== undefined && failure === otherFailure && failure !== notSent;
  // No caller can send what an adapter cannot express.
  const isUnsupported = [failure, otherFailure].includes(unsupported);
  return { reason: unread.join(' '), isOpen: !areAlike && !isUnsupported };
}

function findDifference(
  one: Extract<Answer, { is: 'result' }>,
  two: Extract<Answer, { is: 'result' }>,
): Pick<AnswerDifference, 'statuses' | 'only' | 'relation'> | undefined {
  const without = (tiers: readonly string[], others: readonly string[]) =>
    tiers.filter((name) => !others.includes(name));
  const only = [without(one.tiers, two.tiers), without(two.tiers, one.tiers)] as const;
  if (one.status === two.status && only.every(({ length }) => length === 0)) return undefined;
  const isRefused = two.status >= 400 && one.status < 400;
  const [missing, added] = only.map(({ length }) => length > 0);
  const relation = isRefused ? 'refused' : missing === added ? 'different' : missing ? 'narrower' : 'wider';
  return { statuses: [one.status, two.status], only, relation };
}

function renderCommand({ exchange }: Answered, { baseUrl }: AnsweredRun): string {
  return renderCurlCommand(getSentRequest(exchange), baseUrl).split('\n').map(toOneLine).join('\n');
}
