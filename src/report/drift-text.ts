import type { ResultWithExchanges } from '../engine/case-result.js';
import type { Drift } from '../judge/drift.js';
import { quoteLines, toOneLine } from '../support/untrusted-text.js';
import type { ResponseRenderer } from './exchange-text.js';

/** Keeps each change of shape in the first case that shows it, with the number of the others. */
export function mergeShapeDrift(results: readonly ResultWithExchanges[]): ResultWithExchanges[] {
  const counts = new Map<string, number>();
  for (const drift of results.flatMap((result) => result.drift))
    if (drift.kind !== 'outcome') counts.set(drift.message, (counts.get(drift.message) ?? 0) + 1);
  const reported = new Set<string>();
  const merge = (drift: Drift): Drift[] => {
    if (drift.kind === 'outcome') return [drift];
    if (reported.has(drift.message)) return [];
    reported.add(drift.message);
    const others = (counts.get(drift.message) ?? 1) - 1;
    return [others === 0 ? drift : { ...drift, message: `${drift.message} The same in ${others} more cases.` }];
  };
  return results.map((result) => ({ ...result, drift: result.drift.flatMap(merge) }));
}

/** Does the same, and drops new members that count as no drift. */
export function dropAdditions(results: readonly ResultWithExchanges[]): ResultWithExchanges[] {
  return mergeShapeDrift(results).map((result) => ({
    ...result,
    drift: result.drift.filter(({ kind }) => kind !== 'addition'),
  }));
}

/** Renders a drift, with the responses of this run and of the record. */
export function renderDrift(drift: Drift, { exchange }: ResultWithExchanges, renderResponse: ResponseRenderer): string {
  if (drift.kind !== 'outcome') return toOneLine(drift.message);
  const { question, outcome, expected } = drift;
  return [
    toOneLine(`${question} is '${outcome}'; ${expected.statedBy} says '${expected.outcome}'.`),
    ...(exchange === undefined ? [] : ['', 'Now:', ...quoteLines(renderResponse(exchange))]),
    ...(expected.recorded === undefined ? [] : ['', 'Then:', ...quoteLines(expected.recorded)]),
  ].join('\n');
}
