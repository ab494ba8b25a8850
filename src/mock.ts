/**
 * The reference deployment, or a record of another one, as a part of your own tests:
 * `import { createMock } from 'promotion-validation-conformance/mock'`.
 */

import type { RequestListener } from 'node:http';
import { createDeployment } from '../reference/deployment.js';
import { createRequestListener } from '../reference/server.js';
import type { HttpRequest, HttpResponse } from './http/exchange.js';
import { type MockOptions, readMockOptions } from './mock-options.js';

export type { Credentials } from './http/connection-options.js';
export type { Headers, HttpRequest, HttpResponse } from './http/exchange.js';
export type { MockOptions } from './mock-options.js';
export { UnusableInput } from './support/problem.js';

/**
 * Creates a mock: a function that answers one request, whose `path` includes the query string.
 * @throws UnusableInput if a file is unusable, and an Error for an unknown behaviour
 */
export function createMock(options: MockOptions = {}): (request: HttpRequest) => HttpResponse {
  return createDeployment(readMockOptions(options).options);
}

/** Creates the same as a listener for `createServer` of `node:http`. It reads the bodies of requests. */
export function createMockListener(options: MockOptions = {}): RequestListener {
  return createRequestListener(createMock(options));
}
