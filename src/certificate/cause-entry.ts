/** The entry of one cause in a certificate. A contrast shows its requests: the wrong ones, and the nearest right one. */

import type { Cause } from '../explanation/diagnose-run.js';
import { renderCurlCommandAfter } from '../http/curl-command.js';
import { toOneLine } from '../support/untrusted-text.js';
import type { EntryRenderingContext } from './case-entry.js';

export interface CauseEntry extends Omit<Cause, 'shown' | 'failures'> {
  /** In the order in which they have to be sent: the last one is wrong. */
  readonly wrong?: readonly CauseExample[];
  readonly right?: CauseExample;
}

/** A request that was sent, by the id of its exchange in the evidence. */
export interface CauseExample {
  readonly exchange: string;
  readonly repeat_with: string;
  readonly received: string;
}

export function createCauseEntry(
  { shown, sentence, failures: _, ...cause }: Cause,
  { baseUrl, renderResponse, showExchange }: Pick<EntryRenderingContext, 'baseUrl' | 'renderResponse' | 'showExchange'>,
): CauseEntry {
  const show = (id: string, before?: string): CauseExample[] => {
    const exchange = showExchange(id);
    if (exchange === undefined) return [];
    const first = before === undefined ? undefined : showExchange(before)?.request;
    const repeat_with = renderCurlCommandAfter(first, exchange.request, baseUrl);
    return [{ exchange: id, repeat_with, received: renderResponse(exchange) }];
  };
  const entry = { ...cause, sentence: toOneLine(sentence) };
  if (shown === undefined) return entry;
  const [right] = shown.right === undefined ? [] : show(shown.right);
  return { ...entry, wrong: shown.wrong.flatMap((id, n) => show(id, shown.wrong[n - 1])), right };
}
