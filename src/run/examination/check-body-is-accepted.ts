import { type AnsweredExchange, listSuccesses } from '../../assertions/row-evidence.js';
import type { Exchange, HttpRequest } from '../../http/exchange.js';
import { describeResponse, hasTransientStatus, isDataIndependentRefusal } from '../../http/response-status.js';
import { isJsonObject, parseJson } from '../../support/json.js';
import { createReason } from '../../support/reason.js';
import {
  createFineFinding,
  createTlsFinding,
  type ExaminationCheckResult,
  type ExaminationContext,
  type FindingsByArea,
  proxyRefusalStatuses,
  showsRequiredTier,
  tellTransport,
} from './examination.js';

/**
 * Checks whether requests fail only because they have a body: the first one without its body is accepted. A deployment that
 * does not know the customer, or in which nothing is valid, accepts it, too. So a body without a customer, and one that is an
 * empty object, must fail in the same way.
 */
export async function checkBodyIsAccepted(context: ExaminationContext): Promise<ExaminationCheckResult | undefined> {
  const { request, exchanges, sendWithoutBody } = context;
  const [first] = exchanges;
  if (request === undefined || first === undefined || !exchanges.every((exchange) => failAlike(first, exchange)))
    return undefined;
  const [accepted] = listSuccesses(await sendWithoutBody());
  if (accepted === undefined || !(await areOtherBodiesRefused(first, request, context))) return undefined;
  const reason = createReason('body-refused', {
    status: accepted.response.status,
    answer: 'response' in first ? describeResponse(first.response) : first.message,
    bare: describeResponse(accepted.response),
    ...tellTransport(context),
  });
  const findings: FindingsByArea = {
    URL: createFineFinding('answers'),
    TLS: createTlsFinding(context),
    // They are accepted without a body: it is the body that makes the answer 401 or 403.
    Credentials: createFineFinding('credentials-accepted'),
    'Body on GET': ['problem', reason],
  };
  if (!isProof(first, accepted, context)) return { findings, isLast: true, unreachable: reason };
  return { findings, isLast: true, refusals: [{ about: 'body', reason, exchange: first }], unjudged: reason };
}

/** Whether a request may fail because of its body: a connection was made, and it is not the rate of requests. */
function mayBeRefused(exchange: Exchange): boolean {
  if ('response' in exchange) return exchange.response.status >= 400 && exchange.response.status !== 429;
  return ['timed-out', 'broken-connection', 'unreadable', 'invalid-coding'].includes(exchange.transportError);
}

/** Whether two requests fail with one status, or both without a response. */
function failAlike(first: Exchange, next: Exchange): boolean {
  const getStatus = (exchange: Exchange) => ('response' in exchange ? exchange.response.status : undefined);
  return mayBeRefused(first) && mayBeRefused(next) && getStatus(first) === getStatus(next);
}

async function areOtherBodiesRefused(first: Exchange, request: HttpRequest, { send, differ }: ExaminationContext) {
  const body = parseJson(request.body ?? '');
  const { customer: _, ...withoutCustomer } = isJsonObject(body) ? body : {};
  const others = [JSON.stringify(withoutCustomer), '{}'].map((other) => send({ ...request, body: other }));
  // A deployment that reads the body says something else of another one.
  const isAlike = (exchange: Exchange) =>
    failAlike(first, exchange) && !('response' in first && differ([first, exchange]));
  return (await Promise.all(others)).every(isAlike);
}

/** Whether the deployment itself refuses what it must accept: no front answers so, and no data can explain it. */
function isProof(first: Exchange, accepted: AnsweredExchange, context: ExaminationContext): boolean {
  if (!('response' in first) || hasTransientStatus(first.response)) return false;
  const { status } = first.response;
  if (isDataIndependentRefusal(status)) return true;
  return !proxyRefusalStatuses.includes(status) && showsRequiredTier(accepted, context);
}
