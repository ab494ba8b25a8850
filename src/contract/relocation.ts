import type { Channel, HttpRequest } from '../http/exchange.js';
import { documentedOperation } from './operation.js';

/** Where a deployment offers the operation, as far as that is not as documented. */
export interface Operation {
  readonly method?: string;
  readonly path?: string;
}

/** Says that a deployment offers the operation elsewhere, for the top of a certificate. */
export function elsewhere({ method = documentedOperation.method, path = documentedOperation.path }: Operation): string {
  return `The target offers the operation at ${method} ${path}, in place of ${documentedOperation.method} ${documentedOperation.path}.`;
}

/** A channel on which what is sent to the documented operation goes to this one. Exchanges show what was sent. */
export function relocated<T extends Channel>(channel: T, operation: Operation | undefined): T {
  if (operation === undefined) return channel;
  return { ...channel, send: (request, whyWithheld) => channel.send(moved(request, operation), whyWithheld) };
}

/** What is sent in place of a request to the documented operation. */
export function moved(request: HttpRequest, { method, path }: Operation): HttpRequest {
  const { method: documented, path: place } = documentedOperation;
  return {
    ...request,
    method: request.method === documented ? (method ?? documented) : request.method,
    // What follows the documented path stays: a query, or the slash that a question is about.
    path: request.path.startsWith(place) ? `${path ?? place}${request.path.slice(place.length)}` : request.path,
  };
}
