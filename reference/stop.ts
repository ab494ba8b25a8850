import type { Headers } from '../src/http/exchange.js';

/** An error answer before it has a body. */
export interface Refusal {
  readonly status: number;
  /** A name of the kind of error, constant over time, for programs. */
  readonly key: string;
  /** What is wrong, and with which property or parameter. */
  readonly details: string;
  readonly headers: Headers;
}

/** An answer that is certain before any promotion is looked at. */
export type EarlyAnswer = { readonly kind: 'refused'; readonly refusal: Refusal } | { readonly kind: 'nothing' };

/** Thrown by any part to answer at once. It is an answer, not a defect. */
export class Stop extends Error {
  readonly answer: EarlyAnswer;

  constructor(answer: EarlyAnswer) {
    super(answer.kind);
    this.answer = answer;
  }
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

/** Answers with an error. */
export function refuse(status: number, details: string, key?: string, headers: Headers = []): never {
  throw new Stop({ kind: 'refused', refusal: { status, key: keys[status] ?? key ?? 'bad_request', details, headers } });
}

/** Answers with success and no promotion. */
export function returnNothing(): never {
  throw new Stop({ kind: 'nothing' });
}
