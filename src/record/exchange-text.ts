import type { World } from '../contract/world.js';
import { renderCurlCommand } from '../http/curl-command.js';
import { type Exchange, getHeaderValues } from '../http/exchange.js';
import { createRecognizer } from '../recognition/recognizer.js';
import { remember } from '../support/caches.js';
import { omitUndefined, renderShortList } from '../support/collections.js';
import { quoteLines, shorten, toOneLine, truncate } from '../support/untrusted-text.js';

/** Stands for the base URL in outputs that must not name addresses. */
export const baseUrlPlaceholder = '$BASE_URL';

const maxCommand = 1_500;
const maxBody = 400;
const noBody = '(no body)';

/** Renders a request as a command line without addresses, shortened. */
export function renderRequest({ request }: Exchange): string {
  return shorten(renderCurlCommand(request, baseUrlPlaceholder), maxCommand);
}

const getRecognizer = remember((world: World) => createRecognizer(world));

/** Renders a response: status, media type and the quoted body. */
export type ResponseRenderer = (exchange: Exchange) => string;

/** The text is the same if the target answers the same. @param sampleBody masks what else changes in JSON */
export function createResponseRenderer(
  world: World,
  sampleBody: (body: string) => unknown = () => undefined,
): ResponseRenderer {
  const { findMentions } = getRecognizer(world);
  return (exchange) => {
    if (!('response' in exchange)) return toOneLine(`No response: ${exchange.message}`);
    const { status, headers, body, bodyLength } = exchange.response;
    const head = [String(status), ...getHeaderValues(headers, 'content-type').slice(0, 1)].join(' ');
    const { idsByPattern, unlocatedIds } = findMentions(body);
    const mentioned = new Set([...[...idsByPattern.values()].flat(), ...unlocatedIds]);
    const names = world.tiers.filter(({ id }) => mentioned.has(id)).map(({ name }) => name);
    const least = bodyLength === undefined ? '' : 'at least ';
    const text =
      names.length === 0
        ? stabilizeBody(JSON.stringify(sampleBody(body)) ?? body)
        : `(names ${least}${names.length} promotions: ${renderShortList(names)})`;
    return [toOneLine(head), ...quoteLines(text || noBody)].join('\n');
  };
}

export type ShownResponse = NonNullable<ReturnType<typeof readShownResponse>>;

/** Reads a text of {@link createResponseRenderer}. It has no body if it names promotions, or is shown in part. */
export function readShownResponse(text: string) {
  const [, status, mediaType, shown = ''] = /^([1-5]\d\d)(?: (.*))?(?:\n\| (.*))?$/.exec(text) ?? [];
  if (status === undefined) return undefined;
  const isPart = /^\((?:names|mentions) /.test(shown) || shown.length > maxBody;
  // A number that changes must stay a number.
  const body = shown === noBody ? '' : shown.replaceAll(/(?<=[:,[])…(?=[,\]}])/g, '0');
  return { status: Number(status), ...omitUndefined({ mediaType, body: isPart ? undefined : body }) };
}

function stabilizeBody(body: string): string {
  // Cut first: on a long run of letters, the pattern takes quadratic time.
  const stable = truncate(body, 20 * maxBody)
    .replaceAll(volatilePattern, '…')
    .replaceAll(/\s+/g, ' ');
  return shorten(stable, maxBody);
}

/** Matches what changes from response to response: identifiers, points in time, long numbers. */
export const volatilePattern =
  /\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?|(?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{12,}|\d{6,}/g;
