import { cacheByObject } from '../support/caches.js';
import { isCutOffJson, parseJson } from '../support/json.js';
import { createReason, type Reason } from '../support/reason.js';
import type { Exchange, HttpResponse } from './exchange.js';
import { explainTransientFailure, isSuccessful } from './response-status.js';

/** In which way a response does not arrive whole. */
export interface ResponseBreakage {
  /** `lost`: the connection ended before it did. `unreadable`: it is not HTTP, or not in the coding that it announces. */
  readonly kind: 'lost' | 'unreadable' | 'cut-off';
  readonly reason: Reason;
}

/**
 * Finds out how a response is broken; undefined if it is whole, or if another reason may keep it away: a limit of the suite,
 * TLS, a refused connection, a timeout. One broken response proves nothing.
 */
export function findResponseBreakage(exchange: Exchange): ResponseBreakage | undefined {
  if ('response' in exchange) {
    const { response } = exchange;
    // The reporter keeps only the beginning of a long body: that is no matter of the deployment.
    const isKeptWhole = response.bodyLength === undefined;
    if (!isKeptWhole || !isSuccessful(response) || !isCutOff(response)) return undefined;
    return { kind: 'cut-off', reason: createReason('body-cut-off', { length: response.body.length }) };
  }
  const kind = kinds.get(exchange.transportError);
  const reason = explainTransientFailure(exchange);
  return kind && reason && { kind, reason };
}

/** To parse a body takes long, and each response is asked about for several purposes. */
const isCutOff = cacheByObject(({ body }: HttpResponse) => parseJson(body) === undefined && isCutOffJson(body));

const kinds: ReadonlyMap<string, ResponseBreakage['kind']> = new Map([
  ['broken-connection', 'lost'],
  ['unreadable', 'unreadable'],
  ['invalid-coding', 'unreadable'],
]);
