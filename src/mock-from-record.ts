import type { Change } from '../reference/handlers.js';
import { isSuccessful } from './http/response-status.js';
import { fillTemplate } from './judge/response-template.js';
import { readShownResponse } from './report/exchange-text.js';
import type { TargetRecord } from './report/target-record.js';
import type { World } from './world/world.js';

/**
 * Makes the reference deployment answer like a recorded one: in the same format, and with the recorded status and body
 * if a question ends a request.
 */
export function mockFromRecord(
  { questions, answers = {} }: Pick<TargetRecord, 'questions' | 'answers'>,
  world: World,
): Change {
  const { list, expanded = list, error } = answers;
  let responses = 0;
  return (handlers) => ({
    ...(list === undefined
      ? {}
      : {
          list: (tiers, request) => {
            // Volatile values differ between responses.
            responses += 1;
            const template = request.expand.length > 0 ? expanded : list;
            const body = JSON.stringify(fillTemplate(template, { world, tiers, volatile: responses }));
            return { ...handlers.list(tiers, request), body };
          },
        }),
    ...(error === undefined
      ? {}
      : {
          refused: (refusal) => {
            const { status, headers } = handlers.refused(refusal);
            const others = headers.filter(([name]) => name !== 'content-type');
            const body = JSON.stringify(error.body);
            return { status, headers: [['content-type', error.media_type], ...others], body };
          },
        }),
    end: (response, question) => {
      const recorded = readShownResponse(questions[question ?? '']?.response ?? '');
      if (recorded === undefined) return response;
      const { status, body, mediaType } = recorded;
      // The request that shows the answer to a question may be another one than the one that was refused.
      const isSameKind = Math.trunc(status / 100) === Math.trunc(response.status / 100);
      if (!isSuccessful(response) && !isSameKind) return response;
      if (body === undefined || (isSuccessful({ ...response, status }) && body !== '')) return { ...response, status };
      const others = response.headers.filter(([name]) => name !== 'content-type');
      const type = mediaType === undefined ? [] : [['content-type', mediaType] as const];
      return { status, headers: [...type, ...others], body };
    },
  });
}
