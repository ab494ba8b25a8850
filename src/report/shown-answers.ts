import type { AnsweredExchange } from '../assertions/row-evidence.js';
import type { Suite } from '../cases/suite.js';
import type { Question } from '../contract/contract.js';
import type { ShownResult } from '../engine/case-result.js';
import { isTransient } from '../http/response-status.js';
import { createKnownIds, type KnownIds } from '../recognition/known-ids.js';
import { parseJson } from '../support/json.js';
import { truncate } from '../support/untrusted-text.js';
import type { World } from '../world/world.js';
import { volatilePattern as volatileText } from './exchange-text.js';

/** A response that shows the answer to a question. */
export interface ShownAnswer {
  readonly question: Question;
  readonly exchange: AnsweredExchange;
}

/** The responses that show the answers to questions, in the order of the ledger; none that speaks of the load. */
export function listShownAnswers({ contract: ledger }: Suite, results: readonly ShownResult[]): ShownAnswer[] {
  const byQuestion = new Map(results.map((result) => [result.subject, result.exchange]));
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
export function createSampler(world: World, results: readonly ShownResult[]): Sampler {
  const ids = createKnownIds(world);
  const times = new Set(world.tiers.map(({ created_at }) => created_at));
  const isOfWorld = (text: string) =>
    times.has(text) || ids.tiers.findExact(text) !== undefined || ids.keys.findExact(text) !== undefined;
  const volatile = new Set(results.flatMap((result) => result.volatile ?? []));
  return (body) => {
    const value = parseJson(body);
    if (value === undefined || isDeeper(value, maxDepth)) return undefined;
    const sample = sampled(value, '', { ids, isOfWorld, volatile });
    return JSON.stringify(sample).length > maxSample ? undefined : sample;
  };
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((member) => isDeeper(member, depth - 1));
}

interface Sampling {
  readonly ids: KnownIds;
  isOfWorld(text: string): boolean;
  /** The places whose values differ between responses to the same request. */
  readonly volatile: ReadonlySet<string>;
}

/** A sample of a value; all types stay, and so do the members of objects, save for those whose keys are ids. */
function sampled(value: unknown, path: string, sampling: Sampling, isWithin = false): unknown {
  const { ids, volatile } = sampling;
  const isVolatile = isWithin || volatile.has(path);
  if (typeof value === 'string') return isVolatile ? '…' : steadyText(value, sampling);
  if (typeof value === 'number') return isVolatile || Math.abs(value) >= minVolatileNumber ? 0 : value;
  if (typeof value === 'boolean') return value && !isVolatile;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return isVolatile ? [] : value.slice(0, maxEntries).map((item) => sampled(item, `${path}/*`, sampling));
  let entries = 0;
  const shown = Object.entries(value).filter(([key]) => {
    if (ids.tiers.findExact(key) === undefined && ids.keys.findExact(key) === undefined) return true;
    entries += 1;
    return entries <= maxEntries;
  });
  return Object.fromEntries(
    shown.map(([key, member]) => [key, sampled(member, `${path}/${key}`, sampling, isVolatile)]),
  );
}

function steadyText(text: string, { isOfWorld }: Sampling): string {
  if (isOfWorld(text)) return text;
  // Cut first: to find what is volatile in a long run of letters takes the square of its length.
  const steady = truncate(text, maxText).replaceAll(volatileText, (found) => (isOfWorld(found) ? found : '…'));
  return text.length > maxText ? `${steady}…` : steady;
}
