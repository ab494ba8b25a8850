import { type AnsweredExchange, listSuccesses } from '../../assertions/row-evidence.js';
import { type TargetWorld, tellDataFile } from '../../contract/world.js';
import type { Exchange, HttpRequest } from '../../http/exchange.js';
import { describeResponse, explainTooLongRequest, isDataIndependentRefusal } from '../../http/response-status.js';
import { createReason, type Reason } from '../../support/reason.js';
import {
  bodyMembersAsRequestParts,
  headersAsRequestParts,
  leaveOutPart,
  type RefusedPart,
  type RequestPart,
} from '../request-parts.js';
import {
  createFineFinding,
  type ExaminationCheckResult,
  type ExaminationContext,
  proxyRefusalStatuses,
  showsRequiredTier,
} from './examination.js';
import { findRequestIndependentFailure } from './find-request-independent-failure.js';

/** A request that is accepted without some parts, and what it shows. */
interface Acceptance {
  readonly refused: readonly RefusedPart[];
  /** The same request without these parts. */
  readonly request: HttpRequest;
  readonly exchange: AnsweredExchange;
}

/**
 * If the first request is refused, finds the optional parts of it without which it is accepted. Then the requirement that
 * they are accepted fails, and everything else is judged without them. Nothing is said where a response without them names no
 * tier that the first request must return: the refusal may then be an empty result, or the test data is not loaded.
 */
export async function checkRefusedParts(context: ExaminationContext): Promise<ExaminationCheckResult | undefined> {
  const { request, exchanges, successes } = context;
  const [first] = exchanges;
  if (request === undefined || first === undefined || !isRefusal(first)) return undefined;
  const refusal: Refused = { request, exchange: first };
  const found = await findRefusedParts(refusal, context);
  if (found === undefined) return undefined;
  // What another request may have is not refused as such: the first one is refused for what it says.
  const isElsewhere = ({ part, isEmptyOnly }: RefusedPart) =>
    !isEmptyOnly && successes.some((accepted) => part.isIn(accepted.request));
  if (found.refused.some(isElsewhere) || !(await isConfirmed(refusal, found, context))) return undefined;
  const proven = found.refused.filter(({ part }) => isProven(part, first, context));
  const refusals = proven.map((refused) => ({
    about: refused.part.about,
    reason: explainRefusal(refused, first, found.exchange),
    exchange: first,
  }));
  if (proven.length === found.refused.length)
    return {
      refusals,
      refusedParts: proven,
      findings: {
        URL: createFineFinding('answers'),
        Credentials: createFineFinding('credentials-accepted'),
        Responses: ['problem', combine(refusals.map(({ reason }) => reason))],
      },
      next: await context.sendAgainWithout(proven),
    };
  const doubt = explainDoubt(found.refused, first, found.exchange, context.target.world);
  const reasons = combine([...refusals.map(({ reason }) => reason), doubt]);
  const ending = refusals.length > 0 ? { refusals, unjudged: doubt } : { unreachable: doubt };
  return { ...ending, findings: { Responses: ['problem', reasons] }, isLast: true };
}

function combine(reasons: readonly Reason[]): Reason {
  return reasons.reduce((before, next) => createReason('and', { reason: before, next }));
}

/** A request that is refused as a whole. */
interface Refused {
  readonly request: HttpRequest;
  readonly exchange: AnsweredExchange;
}

/** Whether a response refuses the request itself, and neither its credentials nor its size. */
function isRefusal(exchange: Exchange): exchange is AnsweredExchange {
  if (!('response' in exchange) || findRequestIndependentFailure(exchange) !== undefined) return false;
  return exchange.response.status >= 400 && explainTooLongRequest(exchange) === undefined;
}

async function findRefusedParts(refused: Refused, context: ExaminationContext): Promise<Acceptance | undefined> {
  const without = async (...parts: RequestPart[]) => await findAmong(parts, refused, context);
  const { options, metadata, orderMetadata, customer, items, order } = bodyMembersAsRequestParts;
  const free = await without(options, metadata, orderMetadata);
  if (free !== undefined) return free;
  const members = [options, metadata, orderMetadata, customer, order];
  const all = await without(...members);
  // A deployment that takes an empty object for no body may demand a customer of every other body.
  if (all !== undefined && all.refused.length < members.length) return all;
  const { accept, acceptEncoding, userAgent, contentType, applicationId, token } = headersAsRequestParts;
  // A deployment that says the same to a request without a body does not look at its members.
  const isReadNever = !context.differ([refused.exchange, ...(await context.sendWithoutBody())]);
  const ofBody = isReadNever
    ? undefined
    : ((await without(customer)) ?? (await without(items)) ?? (await without(order)));
  return (
    ofBody ??
    (await without(accept, acceptEncoding, userAgent)) ??
    (await without(contentType)) ??
    (await without(applicationId, token))
  );
}

/** Leaves out several parts. If that is accepted, adds one at a time: those that are refused then are what is refused. */
async function findAmong(
  candidates: readonly RequestPart[],
  { request: whole }: Refused,
  { send }: ExaminationContext,
): Promise<Acceptance | undefined> {
  const parts = candidates.filter((part) => part.isIn(whole));
  const leaveOut = (left: readonly RequestPart[]) =>
    left.reduce((request, part) => leaveOutPart(request, { part, isEmptyOnly: false }), whole);
  const accepts = async (request: HttpRequest) => listSuccesses([await send(request)]).length > 0;
  if (parts.length === 0 || !(await accepts(leaveOut(parts)))) return undefined;
  const refused: RefusedPart[] = [];
  for (const part of parts) {
    const withPart = leaveOut(parts.filter((candidate) => candidate !== part));
    if (parts.length > 1 && (await accepts(withPart))) continue;
    const filled = part.fill?.(withPart);
    refused.push({ part, isEmptyOnly: filled !== undefined && part.isEmptyIn(withPart) && (await accepts(filled)) });
  }
  // Each of them alone was accepted: the answers changed, or only all together are refused.
  if (refused.length === 0) return undefined;
  const request = leaveOut(refused.map(({ part }) => part));
  const [exchange] = listSuccesses([await send(request)]);
  return exchange === undefined ? undefined : { refused, request, exchange };
}

/** Whether the same happens a second time, and the response names what the first request must return. */
async function isConfirmed(refused: Refused, found: Acceptance, context: ExaminationContext): Promise<boolean> {
  const again = await context.send({ ...refused.request, again: 1 });
  const [accepted] = listSuccesses([await context.send({ ...found.request, again: 1 })]);
  const isRefusedAlike = 'response' in again && again.response.status === refused.exchange.response.status;
  return isRefusedAlike && accepted !== undefined && showsRequiredTier(accepted, context);
}

function isProven({ provenBy }: RequestPart, { response: { status } }: AnsweredExchange, context: ExaminationContext) {
  if (provenBy === 'nothing') return false;
  if (provenBy === 'any-status' || isDataIndependentRefusal(status)) return true;
  if (provenBy === 'data-independent-status') return context.isWorldLoaded;
  return !proxyRefusalStatuses.includes(status);
}

function explainRefusal(
  { part, isEmptyOnly }: RefusedPart,
  first: AnsweredExchange,
  accepted: AnsweredExchange,
): Reason {
  return createReason(isEmptyOnly ? 'empty-part-refused' : 'part-refused', {
    part: part.description,
    status: first.response.status,
    without: accepted.response.status,
    answer: describeResponse(first.response),
  });
}

function explainDoubt(
  refused: readonly RefusedPart[],
  first: AnsweredExchange,
  accepted: AnsweredExchange,
  world: TargetWorld,
): Reason {
  const named = refused.some(({ part }) => part.provenBy === 'data-independent-status');
  return createReason(named ? 'part-perhaps-unknown' : 'part-perhaps-refused', {
    ...tellDataFile(world),
    part: refused.map(({ part }) => part.description).join(' and '),
    status: first.response.status,
    without: accepted.response.status,
    answer: describeResponse(first.response),
  });
}
