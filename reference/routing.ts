import { createDecider } from './decider.js';
import { refuse, returnNothing } from './early-response.js';
import type { DeploymentFacts, RoutingHandlers } from './handlers.js';

/** The path of the operation. */
const operationPath = '/v1/promotions/validation';

const methodQuestions = {
  POST: 'method-post',
  HEAD: 'method-head',
  OPTIONS: 'method-options',
  PUT: 'method-put',
  DELETE: 'method-delete',
} as const;

/** Checks method and path of requests. */
export function createRoutingHandlers({ behaviours }: DeploymentFacts): RoutingHandlers {
  const inRequest = createDecider(behaviours, 'bad_request');

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
      if (isInQuestion(method)) accept(inRequest(methodQuestions[method], 'method'));
      else if (method !== 'GET') refuse(405, 'method: did you mean GET?');
      return query;
    },
  };
}

function isInQuestion(method: string): method is keyof typeof methodQuestions {
  return Object.hasOwn(methodQuestions, method);
}
