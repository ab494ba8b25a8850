import escapeStringRegexp from 'escape-string-regexp';
import { renderFilterParameter } from '../contract/operation.js';
import type { Channel, Exchange, HttpRequest, HttpResponse } from '../http/exchange.js';
import { encodeQueryText } from '../http/request-content.js';
import {
  describeAnswer,
  getMediaType,
  headersHint,
  isDataIndependentRefusal,
  isSuccessful,
} from '../http/response-status.js';
import { parseJson } from '../support/json.js';

/**
 * Finds out whether something else than the operation answers. A conforming deployment without the test data may answer
 * every request alike, so the answers are compared with those to requests that it must or does treat in another way.
 * @param isDescribed the user states that the world is loaded, or where promotions are named: only a web page is wrong
 */
export async function findWrongAddress(
  request: HttpRequest,
  exchanges: readonly Exchange[],
  send: Channel['send'],
  isDescribed: boolean,
): Promise<string | undefined> {
  const responses = exchanges.flatMap((exchange) => ('response' in exchange ? [exchange.response] : []));
  const [response] = responses;
  if (response === undefined || responses.length < exchanges.length) return undefined;
  const answer = describeAnswer(response);
  if (responses.every((answered) => isSuccessful(answered) && isWebPage(answered)))
    return `The target answers with web pages: ${answer}. ${addressHint} ${loginHint}`;
  if (isDescribed && !isWebPage(response)) return undefined;
  if (new Set(exchanges.map(normalizeAnswer)).size > 1 || mayBeEmptyResult(response) || isRefusal(response))
    return undefined;
  const [path = '', query = ''] = request.path.split('?', 2);
  const filter = `${encodeQueryText(renderFilterParameter({ on: 'campaign' }))}=no-such-campaign-0`;
  const others: HttpRequest[] = [
    { ...request, path: '/v1/no-such-operation-0' },
    { ...request, body: '{"customer":' },
    { ...request, path: `${path}?${[query, filter].filter(Boolean).join('&')}` },
  ];
  const probes = await Promise.all(others.map(send));
  const known = normalizeAnswer(exchanges[0] as Exchange);
  if (probes.some((probe) => normalizeAnswer(probe) !== known)) return undefined;
  const hint = plainHttp.test(response.body) ? httpsHint : `${addressHint} ${headersHint}`;
  return `Every request is answered alike: ${answer}. ${hint} ${loadedHint}`;
}

const addressHint =
  'Check the base URL (base_url): it may need a path prefix, such as https://host/api. If the operation has another path, use a transport (docs/transports.md).';
const loginHint = "If it is a login page, set the headers that it asks for: 'headers' in the target file.";
const loadedHint =
  'If it is the deployment and has the test data, say so: --world-loaded, or world: loaded in the target file.';

/** What nginx, Apache and Go answer to HTTP on a port for HTTPS. */
const plainHttp = /\bplain HTTP (?:request|to)\b|HTTP request to an HTTPS server/i;
const httpsHint = 'The port is for HTTPS: write https:// in the base URL (base_url).';

/** Summarizes a response without what differs from request to request: identifiers, numbers, and its path with the query. */
function normalizeAnswer(exchange: Exchange): string {
  if (!('response' in exchange)) return exchange.message;
  const { request, response } = exchange;
  const [path = ''] = request.path.split('?', 1);
  const body = response.body
    .slice(0, 100_000)
    .replaceAll(new RegExp(`${escapeStringRegexp(path)}[^\\s"'<>]*`, 'g'), '…');
  return `${response.status} ${getMediaType(response)} ${maskChanging(body)}`;
}

export function maskChanging(text: string): string {
  return text.replaceAll(/[\w.:+-]+/g, (word) => (/\d/.test(word) ? '…' : word));
}

/** Whatever data a deployment has, they fail the requirement that is refused. */
function isRefusal({ status }: HttpResponse): boolean {
  return isDataIndependentRefusal(status) || status >= 500;
}

/** By its text: PHP declares everything as HTML, JSON too. Go answers HTTP on a port for HTTPS with a plain sentence. */
export function isWebPage({ body }: HttpResponse): boolean {
  return plainHttp.test(body) || /^\s*(?:<!--|<!doctype html\b|<html\b)/i.test(body);
}

function mayBeEmptyResult(response: HttpResponse): boolean {
  if (!isSuccessful(response)) return false;
  const value = parseJson(response.body);
  // Broken JSON comes from the deployment.
  if (value === undefined) return response.body.trim() === '' || getMediaType(response).includes('json');
  // What mocks answer to anything.
  if (isNothing(value) && !Array.isArray(value)) return false;
  return listValues(value).some(isNothing);
}

function isNothing(value: unknown): boolean {
  return !value || (typeof value === 'object' && Object.keys(value).length === 0);
}

function listValues(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [value];
  return [value, ...Object.values(value).flatMap(listValues)];
}
