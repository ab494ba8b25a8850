import { curlCommand } from '../http/curl.js';
import { type Exchange, type HttpResponse, headerValues } from '../http/exchange.js';
import { type KnownIds, knownIdsOf } from '../recognition/known-ids.js';
import { namingOf } from '../recognition/naming.js';
import { beginningOf, behindBar, oneLine } from '../support/foreign-text.js';
import type { World } from '../world/world.js';

/** Stands for the base URL wherever an output must not name addresses. */
export const baseUrlPlaceholder = '$BASE_URL';

const maxOfRequest = 1500;

/** A request as a command line without addresses; a long body is cut short. */
export function requestText({ request }: Exchange): string {
  const lines = curlCommand(request, baseUrlPlaceholder).split('\n');
  const command = lines.map(oneLine).join('\n');
  if (command.length <= maxOfRequest) return command;
  return `${beginningOf(command, maxOfRequest)}… (${command.length} characters in all)`;
}

/**
 * Says what came back, in words that are the same whenever the target answers the same: status and media type, and what
 * the target wrote behind a bar.
 */
export type ResponseText = (exchange: Exchange) => string;

/** For deployments that have a world: its tiers are named, whatever the rest of a body. */
export function responseTextFor(world: World): ResponseText {
  const ids = knownIdsOf(world);
  return (exchange) => {
    if (!('response' in exchange)) return oneLine(exchange.message);
    const { status, headers } = exchange.response;
    const type = headerValues(headers, 'content-type')[0];
    const head = [String(status), ...(type === undefined ? [] : [type])].join(' ');
    return [oneLine(head), ...behindBar(bodyText(exchange.response, world, ids))].join('\n');
  };
}

const maxNames = 12;
const maxCharacters = 400;

function bodyText({ body, bodyLength }: HttpResponse, world: World, ids: KnownIds): string {
  if (body === '') return '(no body)';
  const { places, unplaced } = namingOf(body, ids);
  const named = new Set([...[...places.values()].flat(), ...unplaced]);
  if (named.size > 0) {
    const names = world.tiers.filter(({ id }) => named.has(id)).map(({ name }) => name);
    const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
    const least = bodyLength === undefined ? '' : 'at least ';
    return `(names ${least}${names.length} promotions: ${names.slice(0, maxNames).join(', ')}${more})`;
  }
  // Beginning with a part of it: to find what is volatile in a long run of letters takes the square of its length.
  const steady = beginningOf(body, 20 * maxCharacters)
    .replaceAll(volatile, '…')
    .replaceAll(/\s+/g, ' ');
  return steady.length > maxCharacters ? `${beginningOf(steady, maxCharacters)}…` : steady;
}

/** What differs from answer to answer: identifiers of requests, points in time, long numbers. */
export const volatile =
  /\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?|(?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{12,}|\d{6,}/g;
