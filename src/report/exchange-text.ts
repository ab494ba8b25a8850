import { renderCurlCommand } from '../http/curl-command.js';
import { type Exchange, getHeaderValues, type HttpResponse } from '../http/exchange.js';
import { createKnownIds, type KnownIds } from '../recognition/known-ids.js';
import { findTierMentions } from '../recognition/tier-mentions.js';
import { quoteLines, toOneLine, truncate } from '../support/untrusted-text.js';
import type { World } from '../world/world.js';

/** Stands for the base URL wherever an output must not name addresses. */
export const baseUrlPlaceholder = '$BASE_URL';

const maxOfRequest = 1500;

/** A request as a command line without addresses; a long body is cut short. */
export function renderRequest({ request }: Exchange): string {
  const lines = renderCurlCommand(request, baseUrlPlaceholder).split('\n');
  const command = lines.map(toOneLine).join('\n');
  if (command.length <= maxOfRequest) return command;
  return `${truncate(command, maxOfRequest)}… (${command.length} characters in all)`;
}

/**
 * Says what came back, in words that are the same whenever the target answers the same: status and media type, and what
 * the target wrote behind a bar.
 */
export type ResponseRenderer = (exchange: Exchange) => string;

/** For deployments that have a world: its tiers are named, whatever the rest of a body. */
export function createResponseRenderer(world: World): ResponseRenderer {
  const ids = createKnownIds(world);
  return (exchange) => {
    if (!('response' in exchange)) return toOneLine(exchange.message);
    const { status, headers } = exchange.response;
    const type = getHeaderValues(headers, 'content-type')[0];
    const head = [String(status), ...(type === undefined ? [] : [type])].join(' ');
    return [toOneLine(head), ...quoteLines(bodyText(exchange.response, world, ids))].join('\n');
  };
}

const maxNames = 12;
const maxCharacters = 400;

function bodyText({ body, bodyLength }: HttpResponse, world: World, ids: KnownIds): string {
  if (body === '') return '(no body)';
  const { idsByPattern: places, unlocatedIds: unplaced } = findTierMentions(body, ids);
  const named = new Set([...[...places.values()].flat(), ...unplaced]);
  if (named.size > 0) {
    const names = world.tiers.filter(({ id }) => named.has(id)).map(({ name }) => name);
    const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
    const least = bodyLength === undefined ? '' : 'at least ';
    return `(names ${least}${names.length} promotions: ${names.slice(0, maxNames).join(', ')}${more})`;
  }
  // Beginning with a part of it: to find what is volatile in a long run of letters takes the square of its length.
  const steady = truncate(body, 20 * maxCharacters)
    .replaceAll(volatilePattern, '…')
    .replaceAll(/\s+/g, ' ');
  return steady.length > maxCharacters ? `${truncate(steady, maxCharacters)}…` : steady;
}

/** What differs from answer to answer: identifiers of requests, points in time, long numbers. */
export const volatilePattern =
  /\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?|(?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{12,}|\d{6,}/g;
