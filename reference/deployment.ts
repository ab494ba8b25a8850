import type { Credentials } from '../src/http/credentials.js';
import type { Headers, HttpRequest, HttpResponse } from '../src/http/exchange.js';
import type { World } from '../src/world/world.js';
import { nothingAsked } from './asked.js';
import { type Behaviours, headerLinesOf, type Settled, settle } from './behaviours.js';
import { catalogueOf } from './catalogue.js';
import type { Fault } from './faults/fault.js';
import { honestParts, type Parts, type Setting } from './parts.js';
import { Stop } from './stop.js';

export type { Parts } from './parts.js';

export interface DeploymentOptions {
  readonly world: World;
  readonly credentials: Credentials;
  readonly behaviours?: Behaviours;
  /** Replaces parts of the deployment. What it is given are the honest ones, to call. */
  readonly change?: (parts: Parts, setting: Setting) => Partial<Parts>;
  /** Requirements to break, after that change. */
  readonly faults?: readonly Pick<Fault, 'change'>[];
}

/**
 * A deployment of the documented operation that holds a world.
 *
 * @returns a function from a request, whose path is the whole path with the literal query string, to its response
 * @throws an Error for a behaviour that does not exist
 */
export function createDeployment(options: DeploymentOptions): (request: HttpRequest) => HttpResponse {
  const { world, credentials, change, faults = [] } = options;
  const behaviours = settle(options.behaviours ?? {});
  const setting: Setting = { catalogue: catalogueOf(world), credentials, behaviours };
  const parts = honestParts(setting);
  for (const each of change === undefined ? faults : [{ change }, ...faults]) {
    Object.assign(parts, each.change({ ...parts }, setting));
  }

  const headers = operationHeaders(behaviours);
  const crossOrigin = linesOf(behaviours['cors-headers']);
  return (request) => {
    const response = answer(parts, request);
    const isCrossOrigin = request.headers.some(([name]) => name.toLowerCase() === 'origin');
    return {
      status: response.status,
      headers: [...response.headers, ...headers, ...(isCrossOrigin ? crossOrigin : [])],
      body: request.method === 'HEAD' ? '' : response.body,
    };
  };
}

function answer(parts: Parts, request: HttpRequest): HttpResponse {
  try {
    return parts.answer(request);
  } catch (stop) {
    if (!(stop instanceof Stop)) throw stop;
    return stop.answer.kind === 'refused' ? parts.fail(stop.answer.refusal) : parts.list([], nothingAsked);
  }
}

/** What a header says of which a record keeps only the name. */
const plausible: Readonly<Record<string, string>> = {
  age: '0',
  etag: '"5d8c72a5edda8d6a"',
  expires: 'Thu, 01 Jan 1970 00:00:00 GMT',
  'last-modified': 'Thu, 02 Nov 2023 00:00:00 GMT',
  pragma: 'no-cache',
  'retry-after': '1',
  'x-rate-limit-limit': '2000',
  'x-rate-limit-remaining': '1999',
  'x-rate-limit-retry': '1698883200',
};

function operationHeaders(behaviours: Settled): Headers {
  const questions = ['deprecation-headers', 'rate-limit-headers', 'caching-headers'] as const;
  return questions.flatMap((question) => linesOf(behaviours[question]));
}

function linesOf(text: string): Headers {
  return headerLinesOf(text).map(([name, value]) => [name, value ?? plausible[name] ?? '1']);
}
