import { createDecider } from './decider.js';
import { refuse, refuseBy, returnNothing } from './early-response.js';
import type { DeploymentFacts, RoutingHandlers } from './handlers.js';

const operationPath = '/v1/promotions/validation';

const methodQuestions = {
  POST: 'method-post',
  HEAD: 'method-head',
  OPTIONS: 'method-options',
  PUT: 'method-put',
  DELETE: 'method-delete',
} as const;

type RoutingQuestion =
  | (typeof methodQuestions)[keyof typeof methodQuestions]
  | 'path-trailing-slash'
  | 'path-letter-case';

export function createRoutingHandlers({ behaviours }: DeploymentFacts): RoutingHandlers {
  const inRequest = createDecider(behaviours, 'bad_request');

  return {
    route({ method, path }) {
      const { place, query } = splitPath(path);
      if (place.replace(/\/$/, '').toLowerCase() !== operationPath) refuse(404, 'no such resource');
      if (place.endsWith('/')) decide('path-trailing-slash', 'path', query);
      if (place !== place.toLowerCase()) decide('path-letter-case', 'path', query);
      if (isInQuestion(method)) decide(methodQuestions[method], 'method', query);
      else if (method !== 'GET') refuse(405, 'method: did you mean GET?');
      return query;
    },
  };

  /** Ends the request unless the chosen outcome of the question lets it pass. */
  function decide(question: RoutingQuestion, subject: string, query: string): void {
    const outcome = inRequest(question, subject);
    if (outcome === 'redirected') {
      const location = query === '' ? operationPath : `${operationPath}?${query}`;
      refuseBy(question, 308, `see ${operationPath}`, undefined, [['location', location]]);
    }
    if (outcome === 'another-answer' || outcome === 'answered') returnNothing(question);
  }
}

function splitPath(path: string): { readonly place: string; readonly query: string } {
  const mark = path.indexOf('?');
  return mark < 0 ? { place: path, query: '' } : { place: path.slice(0, mark), query: path.slice(mark + 1) };
}

function isInQuestion(method: string): method is keyof typeof methodQuestions {
  return Object.hasOwn(methodQuestions, method);
}
