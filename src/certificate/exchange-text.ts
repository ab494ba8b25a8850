import type { World } from '../contract/world-types.js';
import { curlCommand } from '../exchange/curl.js';
import { type Exchange, type HttpResponse, headerValues } from '../exchange/exchange.js';
import { knownIds } from '../judge/check.js';
import { namingOf } from '../judge/recognise.js';

/** Stands for the base URL wherever an output must not name addresses. */
export const baseUrlPlaceholder = '$BASE_URL';

const mostOfRequest = 1500;

/** A request as a command line without addresses; a long body is cut short. */
export function requestText({ request }: Exchange): string {
  const command = curlCommand(request, baseUrlPlaceholder);
  if (command.length <= mostOfRequest) return command;
  return `${command.slice(0, mostOfRequest)}… (${command.length} characters in all)`;
}

/** What came back, in words that are the same whenever the target answers the same. */
export function responseText(exchange: Exchange, world: World): string {
  if (!('response' in exchange)) return exchange.message;
  const { status, headers } = exchange.response;
  const type = headerValues(headers, 'content-type')[0];
  const head = [String(status), ...(type === undefined ? [] : [type])].join(' ');
  return `${head}\n${bodyText(exchange.response, world)}`;
}

const mostNames = 12;
const mostCharacters = 400;

function bodyText({ body, bodyLength }: HttpResponse, world: World): string {
  if (body === '') return '(no body)';
  const { places, unplaced } = namingOf(body, knownIds(world));
  const named = new Set([...[...places.values()].flat(), ...unplaced]);
  if (named.size > 0) {
    const names = world.tiers.filter(({ id }) => named.has(id)).map(({ name }) => name);
    const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : '';
    const least = bodyLength === undefined ? '' : 'at least ';
    return `(names ${least}${names.length} promotions: ${names.slice(0, mostNames).join(', ')}${more})`;
  }
  // Beginning with a part of it: to find what is volatile in a long run of letters takes the square of its length.
  const steady = body
    .slice(0, 20 * mostCharacters)
    .replaceAll(volatile, '…')
    .replaceAll(/\s+/g, ' ');
  return steady.length > mostCharacters ? `${steady.slice(0, mostCharacters)}…` : steady;
}

/** What differs from answer to answer: identifiers of requests, points in time, long numbers. */
const volatile = /\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?|(?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{12,}|\d{6,}/g;
