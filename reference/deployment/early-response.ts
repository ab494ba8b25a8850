import type { Headers } from '../../src/http/exchange.js';
import type { ClosedQuestion } from './behaviours.js';

/** An error response before it has a body. */
export interface Refusal {
  readonly status: number;
  /** A name of the kind of error, constant over time, for programs. */
  readonly key: string;
  /** What is wrong, and with which property or parameter. */
  readonly details: string;
  readonly headers: Headers;
}

/** Thrown by any handler to respond at once. It is no `Error`, because a stack trace takes longer than the response. */
export class EarlyResponse {
  /** @param question the question whose outcome ends the request */
  constructor(
    readonly content: Refusal | 'no-promotions',
    readonly question?: ClosedQuestion,
  ) {}
}

const keys: Readonly<Record<number, string>> = {
  308: 'permanent_redirect',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  500: 'internal_error',
  501: 'not_implemented',
};

/**
 * @param details what is wrong, and with which property or parameter
 * @param key names the kind of error where its status alone does not
 */
export function createRefusal(status: number, details: string, key = 'bad_request', headers: Headers = []): Refusal {
  return { status, key: keys[status] ?? key, details, headers };
}

/** Responds with an error. The parameters are those of {@link createRefusal}. */
export function refuse(...stated: Parameters<typeof createRefusal>): never {
  throw new EarlyResponse(createRefusal(...stated));
}

/** Responds with an error, because a question has this outcome. The other parameters are those of {@link createRefusal}. */
export function refuseBy(question: ClosedQuestion, ...stated: Parameters<typeof createRefusal>): never {
  throw new EarlyResponse(createRefusal(...stated), question);
}

/** Responds with success and no promotion, because a question has this outcome. A result that happens to be empty is none of these. */
export function returnNothing(question: ClosedQuestion): never {
  throw new EarlyResponse('no-promotions', question);
}
