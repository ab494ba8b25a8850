import type { World } from '../contract/world.js';
import { renderCurlCommand } from '../http/curl-command.js';
import { type Exchange, getHeaderValues, type HttpResponse } from '../http/exchange.js';
import { createRecognizer } from '../recognition/recognizer.js';
import type { SerializedMentions } from '../recognition/tier-mentions.js';
import { cacheByObject } from '../support/caches.js';
import { renderShortList } from '../support/collections.js';
import { stringifyExactly } from '../support/json.js';
import { quoteLines, shorten, toOneLine, truncate } from '../support/untrusted-text.js';

/** Stands for the base URL in outputs that must not name addresses. */
export const baseUrlPlaceholder = '$BASE_URL';

const maxCommand = 1_500;
const maxBody = 400;

/** Renders a request as a command line without addresses, shortened. */
export function renderShortCurlCommand({ request }: Exchange): string {
  return shorten(renderCurlCommand(request, baseUrlPlaceholder), maxCommand);
}

/** An exchange that is fit for display, with what its whole response names. Without that, the shown body is searched. */
export type DisplayableExchange = Exchange & { readonly mentions?: SerializedMentions };

/** What people are shown of a response, as data. */
export interface ResponseSummary {
  readonly status: number;
  readonly media_type?: string;
  /** The whole body, with `…` for what changes from response to response. */
  readonly body?: string;
  /** In its place: the beginning of a long body, or which promotions it names. */
  readonly excerpt?: string;
}

const getRecognizer = cacheByObject((world: World) => createRecognizer(world));

/** Summarizes responses. The same answers give the same summary. @param sampleBody masks what else changes in JSON */
export function createResponseSummarizer(
  world: World,
  sampleBody: (body: string) => unknown = () => undefined,
): (response: HttpResponse, mentions?: SerializedMentions) => ResponseSummary {
  const { findMentions } = getRecognizer(world);
  return ({ status, headers, body, bodyLength }, mentions) => {
    const [media_type] = getHeaderValues(headers, 'content-type');
    const head = { status, media_type };
    const { located, unlocated } = mentions ?? findMentions(body).found;
    const mentioned = new Set([...located, ...unlocated]);
    const names = world.tiers.filter(({ id }) => mentioned.has(id)).map(({ name }) => name);
    // What a refusal names is not stored, and only the beginning of a long one is left.
    const isPart = mentions === undefined && bodyLength !== undefined;
    const count = `${isPart ? 'at least ' : ''}${names.length} promotions`;
    if (names.length > 0) return { ...head, excerpt: `(names ${count}: ${renderShortList(names)})` };
    // Cut first: on a long run of letters, the pattern takes quadratic time.
    const beginning = truncate(stringifyExactly(sampleBody(body)) ?? body, 20 * maxBody);
    const text = beginning.replaceAll(volatilePattern, '…').replaceAll(/\s+/g, ' ');
    return text.length > maxBody ? { ...head, excerpt: shorten(text, maxBody) } : { ...head, body: text };
  };
}

/** Renders status, media type and the quoted body. */
export function renderResponseSummary({ status, media_type, body, excerpt = body }: ResponseSummary): string {
  const head = toOneLine([status, media_type].filter(Boolean).join(' '));
  return [head, ...quoteLines(excerpt || '(no body)')].join('\n');
}

export type ResponseRenderer = (exchange: DisplayableExchange) => string;

/** Renders what came back. The text is the same if the target answers the same. */
export function createResponseRenderer(...terms: Parameters<typeof createResponseSummarizer>): ResponseRenderer {
  const summarize = createResponseSummarizer(...terms);
  return (exchange) =>
    'response' in exchange
      ? renderResponseSummary(summarize(exchange.response, exchange.mentions))
      : toOneLine(`No response: ${exchange.message}`);
}

/** Matches what changes from response to response: identifiers, points in time, long numbers. */
export const volatilePattern =
  /\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?|(?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{12,}|\d{6,}/g;
