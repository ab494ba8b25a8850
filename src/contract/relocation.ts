import type { Channel, HttpRequest } from '../http/exchange.js';
import { documentedOperation } from './operation.js';

/** The method and path of the operation in a deployment, if they are not the documented ones. */
export interface Relocation {
  readonly method?: string;
  readonly path?: string;
}

/** Describes the relocation, for the notes of a certificate. */
export function describeRelocation({
  method = documentedOperation.method,
  path = documentedOperation.path,
}: Relocation): string {
  return `The target offers the operation at ${method} ${path}, in place of ${documentedOperation.method} ${documentedOperation.path}.`;
}

/** Wraps a channel so that requests to the documented operation are relocated. Exchanges contain the relocated request. */
export function createRelocatedChannel<T extends Channel>(channel: T, relocation: Relocation | undefined): T {
  if (relocation === undefined) return channel;
  return {
    ...channel,
    send: (request, whyWithheld) => channel.send(relocateRequest(request, relocation), whyWithheld),
  };
}

/** Replaces the documented method and path of a request. Keeps the query and everything else after the path. */
export function relocateRequest(request: HttpRequest, { method, path }: Relocation): HttpRequest {
  const documented = documentedOperation;
  return {
    ...request,
    method: request.method === documented.method ? (method ?? documented.method) : request.method,
    path: request.path.startsWith(documented.path)
      ? `${path ?? documented.path}${request.path.slice(documented.path.length)}`
      : request.path,
  };
}
