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
      const mark = path.indexOf('?');
      const place = mark < 0 ? path : path.slice(0, mark);
      const query = mark < 0 ? '' : path.slice(mark + 1);
      const location = query === '' ? operationPath : `${operationPath}?${query}`;

      const decide = (question: RoutingQuestion, subject: string): void => {
        const outcome = inRequest(question, subject);
        if (outcome === 'redirected')
          refuseBy(question, 308, `see ${operationPath}`, undefined, [['location', location]]);
        if (outcome === 'another-answer' || outcome === 'answered') returnNothing(question);
      };
      if (place.replace(/\/$/, '').toLowerCase() !== operationPath) refuse(404, 'no such resource');
      if (place.endsWith('/')) decide('path-trailing-slash', 'path');
      if (place !== place.toLowerCase()) decide('path-letter-case', 'path');
      if (isInQuestion(method)) decide(methodQuestions[method], 'method');
      else if (method !== 'GET') refuse(405, 'method: did you mean GET?');
      return query;
    },
  };
}

function isInQuestion(method: string): method is keyof typeof methodQuestions {
  return Object.hasOwn(methodQuestions, method);
}
