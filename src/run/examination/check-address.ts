import { renderFilterParameter } from '../../contract/operation.js';
import { tellDataFile } from '../../contract/world.js';
import { encodeQueryText } from '../../http/decoded-request.js';
import type { HttpRequest, HttpResponse } from '../../http/exchange.js';
import { describeResponse, getMediaType, isDataIndependentRefusal, isSuccessful } from '../../http/response-status.js';
import { parseJson } from '../../support/json.js';
import { createReason, type Reason } from '../../support/reason.js';
import { type ExaminationCheckResult, type ExaminationContext, tellTransport } from './examination.js';

/** Finds out whether something else than the operation answers. */
export async function checkAddress(context: ExaminationContext): Promise<ExaminationCheckResult | undefined> {
  const wrong = context.isSeen ? undefined : await findWrongAddress(context);
  // Web pages, and 404 for any path, say nothing of the test data. Equal answers of another kind may be empty results.
  const isLast = wrong?.code === 'web-pages' || context.areNotFound;
  return wrong && { findings: { URL: ['problem', wrong] }, unreachable: wrong, isLast };
}

/**
 * A conforming deployment without the test data may answer every request alike, so the answers are compared with those to
 * requests that it must or does treat in another way. If the user describes the deployment, only a web page is wrong.
 */
async function findWrongAddress(context: ExaminationContext): Promise<Reason | undefined> {
  const { request, exchanges, send, isDescribed, differ, target } = context;
  const responses = exchanges.flatMap((exchange) => ('response' in exchange ? exchange.response : []));
  const [response] = responses;
  if (request === undefined || response === undefined || responses.length < exchanges.length) return undefined;
  const answer = describeResponse(response);
  if (responses.every((answered) => isSuccessful(answered) && isWebPage(answered)))
    return createReason('web-pages', { answer, ...tellTransport(context) });
  if (isDescribed && !isWebPage(response)) return undefined;
  // Whatever data a deployment has, a refusal fails the requirement that is refused.
  const isRefusal = isDataIndependentRefusal(response.status) || response.status >= 500;
  if (differ(exchanges) || mayBeEmptyResult(response) || isRefusal) return undefined;
  const [path = '', query = ''] = request.path.split('?', 2);
  const filter = `${encodeQueryText(renderFilterParameter({ on: 'campaign' }))}=no-such-campaign-0`;
  const others: HttpRequest[] = [
    { ...request, path: '/v1/no-such-operation-0' },
    { ...request, body: '{"customer":' },
    { ...request, path: `${path}?${[query, filter].filter(Boolean).join('&')}` },
  ];
  const probes = await Promise.all(others.map(send));
  if (differ([...exchanges, ...probes])) return undefined;
  if (plainHttp.test(response.body)) return createReason('alike-over-https', { answer, ...tellDataFile(target.world) });
  const data = { answer, ...tellDataFile(target.world), ...tellTransport(context) };
  return createReason(isWebPage(response) ? 'web-pages' : 'alike', data);
}

/** What nginx, Apache and Go answer to HTTP on a port for HTTPS. */
const plainHttp = /\bplain HTTP (?:request|to)\b|HTTP request to an HTTPS server/i;

/** By its text: PHP declares everything as HTML, JSON too. Go answers HTTP on a port for HTTPS with a plain sentence. */
function isWebPage({ body }: HttpResponse): boolean {
  return plainHttp.test(body) || /^\s*(?:<!--|<!doctype html\b|<html\b)/i.test(body);
}

function mayBeEmptyResult(response: HttpResponse): boolean {
  if (!isSuccessful(response)) return false;
  const body = response.body.trim();
  // Broken JSON comes from the deployment.
  if (parseJson(body) === undefined) return body === '' || getMediaType(response).includes('json');
  // A bare `{}` or `null` is what mocks answer to anything.
  return /\[\s*\]|.\{\s*\}|:\s*(?:0|null|false|"")\s*[,}]/s.test(body);
}
