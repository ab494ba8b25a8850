import escapeStringRegexp from 'escape-string-regexp';
import { type AnsweredExchange, listSuccesses } from '../../assertions/row-evidence.js';
import { maskChangingWords } from '../../http/changing-words.js';
import type { Exchange } from '../../http/exchange.js';
import { getMediaType } from '../../http/response-status.js';
import type { MentionWithSiblings, Recognizer } from '../../recognition/recognizer.js';
import { absentValue } from '../../recognition/sibling-values.js';

/** Whether answers differ in the promotions that they name, in how they mark them, or else in more than what always changes. */
export type ResponseComparer = (exchanges: readonly Exchange[]) => boolean;

export function createResponseComparer(recognizer: Recognizer): ResponseComparer {
  const summarize = (exchange: Exchange): string => {
    if (!('response' in exchange)) return exchange.message;
    const { request, response } = exchange;
    const { idsByPattern, unlocatedIds } = recognizer.findMentions(response.body);
    const named = [...new Set([...[...idsByPattern.values()].flat(), ...unlocatedIds])].sort();
    if (named.length > 0) return `${response.status} ${named.join()}`;
    const place = escapeStringRegexp(request.path.split('?')[0] ?? '');
    const body = response.body.slice(0, 100_000).replaceAll(new RegExp(`${place}[^\\s"'<>]*`, 'g'), '…');
    return `${response.status} ${getMediaType(response)} ${maskChangingWords(body)}`;
  };
  return (exchanges) =>
    new Set(exchanges.map(summarize)).size > 1 || areMarkedDifferently(listSuccesses(exchanges), recognizer);
}

/** A member with more values marks nothing. */
const maxMarks = 3;
/** Four digits may be a part of a time or of an id, which differ each time. */
const isVolatile = (value: string): boolean => /\d{4}/.test(value);

/**
 * Whether a member beside the ids marks promotions, such as `status: INAPPLICABLE`, and one of them in another way in another
 * response. Some response has both marks: what is the same for a whole response marks nothing.
 */
function areMarkedDifferently(successes: readonly AnsweredExchange[], recognizer: Recognizer): boolean {
  const responses = successes.map(({ response }) => recognizer.listLocatedMentions(response.body));
  const names = new Set(responses.flat().flatMap(({ values }) => [...values.keys()]));
  return [...names].some((name) => {
    const marks = responses.map((mentions) => mapMarks(mentions, name));
    const used = new Set(marks.flatMap((ofResponse) => [...ofResponse.values()]));
    if (used.size > maxMarks || [...used].some(isVolatile)) return false;
    return [...(marks[0]?.keys() ?? [])].some((key) => {
      const ofKey = new Set(marks.map((ofResponse) => ofResponse.get(key) ?? absentValue));
      return (
        ofKey.size > 1 &&
        marks.some((ofResponse) => [...ofKey].every((value) => [...ofResponse.values()].includes(value)))
      );
    });
  });
}

/** Maps each place and id to the value of a member beside it. */
function mapMarks(mentions: readonly MentionWithSiblings[], name: string): ReadonlyMap<string, string> {
  return new Map(mentions.map(({ id, pattern, values }) => [`${pattern} ${id}`, values.get(name) ?? absentValue]));
}
