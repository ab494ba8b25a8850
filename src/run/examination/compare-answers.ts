import escapeStringRegexp from 'escape-string-regexp';
import type { Exchange } from '../../http/exchange.js';
import { getMediaType } from '../../http/response-status.js';
import type { Recognizer } from '../../recognition/recognizer.js';

/** Whether answers differ in the promotions that they name, or else in more than what changes with each request. */
export type Comparison = (exchanges: readonly Exchange[]) => boolean;

export function createComparison(recognizer: Recognizer): Comparison {
  const summarize = (exchange: Exchange): string => {
    if (!('response' in exchange)) return exchange.message;
    const { request, response } = exchange;
    const { idsByPattern, unlocatedIds } = recognizer.findMentions(response.body);
    const named = [...new Set([...[...idsByPattern.values()].flat(), ...unlocatedIds])].sort();
    if (named.length > 0) return `${response.status} ${named.join()}`;
    const place = escapeStringRegexp(request.path.split('?')[0] ?? '');
    const body = response.body.slice(0, 100_000).replaceAll(new RegExp(`${place}[^\\s"'<>]*`, 'g'), '…');
    const constant = body.replaceAll(/[\w.:+-]+/g, (word) => (/\d/.test(word) ? '…' : word));
    return `${response.status} ${getMediaType(response)} ${constant}`;
  };
  return (exchanges) => new Set(exchanges.map(summarize)).size > 1;
}
