import type { Answered } from '../assertions/evidence.js';
import type { Suite } from '../cases/suite.js';
import type { Question } from '../contract/ledger.js';
import type { CaseResult } from '../engine/case-result.js';
import { isTransient } from '../http/response-status.js';
import { type KnownIds, knownIdsOf } from '../recognition/known-ids.js';
import { beginningOf } from '../support/foreign-text.js';
import { isJsonObject, parseJson } from '../support/json.js';
import type { World } from '../world/world.js';
import { volatile as volatileText } from './exchange-text.js';

/** A response that shows the answer to a question. */
export interface ShownAnswer {
  readonly question: Question;
  readonly exchange: Answered;
}

/** The responses that show the answers to questions, in the order of the ledger; none that speaks of the load. */
export function shownAnswers({ ledger }: Suite, results: readonly CaseResult[]): ShownAnswer[] {
  const byQuestion = new Map(results.map((result) => [result.subject, result.evidence]));
  return ledger.questions.flatMap((question) => {
    const exchange = byQuestion.get(question.id);
    if (exchange === undefined || !('response' in exchange) || isTransient(exchange.response)) return [];
    return [{ question, exchange }];
  });
}

/** Lists, and objects whose keys are ids, are cut to so many. */
const maxEntries = 1;
/** Of a text within a body, in characters. */
const maxText = 120;
/** What is nested deeper is not shown. */
const maxDepth = 20;
/** Of a shortened body as JSON, in characters: what is longer shows nothing at a glance. */
const maxSample = 6_000;
/** From here on, a number is a point in time or an identifier. */
const minVolatileNumber = 1e9;

/** Makes the sample of a body: see `samplerFor`. */
export type Sampler = (body: string) => unknown;

/**
 * Makes what shortens a JSON body for documents, which is the same whenever the target answers the same: lists are cut
 * to their first entry, and what differs from answer to answer is `…`, in place of a number 0.
 *
 * @param results whose requests that were sent twice show what differs
 * @returns a function that is undefined for what is no JSON, and where a short sample would show nothing
 */
export function samplerFor(world: World, results: readonly CaseResult[]): Sampler {
  const ids = knownIdsOf(world);
  const times = new Set(world.tiers.map(({ created_at }) => created_at));
  const isOfWorld = (text: string) =>
    times.has(text) || ids.tiers.exactly(text) !== undefined || ids.keys.exactly(text) !== undefined;
  const volatile = new Set(results.flatMap((result) => result.volatile ?? []));
  return (body) => {
    const value = parseJson(body);
    if (value === undefined) return undefined;
    const sample = sampled(value, '', { ids, isOfWorld, volatile }, 0);
    return JSON.stringify(sample).length > maxSample ? undefined : sample;
  };
}

interface Sampling {
  readonly ids: KnownIds;
  readonly isOfWorld: (text: string) => boolean;
  /** The places whose values differ between responses to the same request. */
  readonly volatile: ReadonlySet<string>;
}

function sampled(value: unknown, path: string, sampling: Sampling, depth: number): unknown {
  const { ids, isOfWorld, volatile } = sampling;
  if (volatile.has(path)) return blank(value);
  if (typeof value === 'string') {
    if (isOfWorld(value)) return value;
    // Cut first: to find what is volatile in a long run of letters takes the square of its length.
    const text = beginningOf(value, maxText).replaceAll(volatileText, (found) => (isOfWorld(found) ? found : '…'));
    return value.length > maxText ? `${text}…` : text;
  }
  if (typeof value === 'number') return Math.abs(value) < minVolatileNumber ? value : 0;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return '…';
  if (Array.isArray(value))
    return value.slice(0, maxEntries).map((item) => sampled(item, `${path}/*`, sampling, depth + 1));
  let entries = 0;
  const shown = Object.entries(value).filter(([key]) => {
    const isId = ids.tiers.exactly(key) !== undefined || ids.keys.exactly(key) !== undefined;
    if (isId) entries += 1;
    return !isId || entries <= maxEntries;
  });
  return Object.fromEntries(shown.map(([key, part]) => [key, sampled(part, `${path}/${key}`, sampling, depth + 1)]));
}

/** What stands for a value that changes from answer to answer, of the same type. */
function blank(value: unknown): unknown {
  if (typeof value === 'string') return '…';
  if (typeof value === 'number') return 0;
  if (typeof value === 'boolean') return false;
  if (Array.isArray(value)) return [];
  return isJsonObject(value) ? {} : value;
}
