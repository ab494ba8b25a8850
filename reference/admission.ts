import type { Headers } from '../src/http/exchange.js';
import { decider } from './decide.js';
import type { Parts, Setting } from './parts.js';
import { refuse, returnNothing } from './stop.js';

/** Where the operation stands. */
const operationPath = '/v1/promotions/validation';

/** The status of bad credentials that are `rejected`: another 4xx than that of a bad body, to tell the two apart. */
export const rejectedCredentials = 404;

const methodQuestions = {
  POST: 'method-post',
  HEAD: 'method-head',
  OPTIONS: 'method-options',
  PUT: 'method-put',
  DELETE: 'method-delete',
} as const;

/** The parts that decide whether a request is one for this operation, from somebody known. */
export function admission(_parts: Parts, { credentials, behaviours }: Setting): Pick<Parts, 'route' | 'admit'> {
  const inRequest = decider(behaviours, 'bad_request');
  const inCredentials = decider(behaviours, 'not_found', rejectedCredentials);

  return {
    route({ method, path }) {
      const mark = path.indexOf('?');
      const place = mark < 0 ? path : path.slice(0, mark);
      const query = mark < 0 ? '' : path.slice(mark + 1);
      const location = query === '' ? operationPath : `${operationPath}?${query}`;

      const accept = (outcome: 'redirected' | 'same-result' | 'another-answer' | 'answered'): void => {
        if (outcome === 'redirected') refuse(308, `see ${operationPath}`, undefined, [['location', location]]);
        if (outcome === 'another-answer') returnNothing();
      };
      if (place.replace(/\/$/, '').toLowerCase() !== operationPath) refuse(404, 'no such resource');
      if (place.endsWith('/')) accept(inRequest('path-trailing-slash', 'path'));
      if (place !== place.toLowerCase()) accept(inRequest('path-letter-case', 'path'));
      if (isAskedAbout(method)) accept(inRequest(methodQuestions[method], 'method'));
      else if (method !== 'GET') refuse(405, 'method: did you mean GET?');
      return query;
    },

    admit(headers) {
      const applicationId = header(headers, 'x-client-application-id') ?? '';
      const token = header(headers, 'x-client-token') ?? '';
      if (applicationId === '' && token === '') inCredentials('credentials-missing-both', 'credentials');
      else if (applicationId === '') inCredentials('credentials-missing-id', 'X-Client-Application-Id');
      else if (token === '') inCredentials('credentials-missing-token', 'X-Client-Token');
      else if (applicationId !== credentials.applicationId || token !== credentials.token) {
        inCredentials('credentials-wrong-token', 'credentials');
      }
    },
  };
}

/** The first value of a header, whose name is given in lower case. */
export function header(headers: Headers, name: string): string | undefined {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1];
}

function isAskedAbout(method: string): method is keyof typeof methodQuestions {
  return Object.hasOwn(methodQuestions, method);
}
