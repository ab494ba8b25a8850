import type { Change } from '../reference/handlers.js';
import type { World } from './contract/world.js';
import type { HttpResponse } from './http/exchange.js';
import { isSuccessful } from './http/response-status.js';
import { fillBody } from './judge/recorded-bodies.js';
import { readShownResponse, type ShownResponse } from './record/exchange-text.js';
import type { TargetRecord } from './record/target-record.js';

/**
 * Makes the reference deployment answer like a recorded one: with the recorded bodies, and with the recorded status and
 * text if a question ends a request.
 */
export function mockFromRecord(
  { questions, bodies = {} }: Pick<TargetRecord, 'questions' | 'bodies'>,
  world: World,
): Change {
  const { promotions } = bodies;
  const { expanded = promotions, none = promotions } = bodies;
  const shown = readShownResponse(questions['error-shape']?.response ?? '');
  const error = shown !== undefined && shown.status >= 400 ? shown : undefined;
  let responses = 0;
  return (handlers) => ({
    list: (tiers, request) => {
      const response = handlers.list(tiers, request);
      const template = tiers.length === 0 ? none : request.expand.length > 0 ? expanded : promotions;
      if (promotions === undefined) return response;
      responses += 1;
      return { ...response, body: JSON.stringify(fillBody(template, tiers, world, responses)) };
    },
    // Where a question ends a request, its own response follows.
    refused: (refusal) => replaceBody(handlers.refused(refusal), error),
    end: (response, question) => {
      const recorded = readShownResponse(questions[question ?? '']?.response ?? '');
      if (recorded === undefined) return response;
      const { status, body } = recorded;
      // The request that shows the answer to a question may be another one than the one that was refused.
      const isSameKind = Math.trunc(status / 100) === Math.trunc(response.status / 100);
      if (!isSuccessful(response) && !isSameKind) return response;
      const keepsBody = isSuccessful({ ...response, status }) && body !== '';
      return { ...replaceBody(response, keepsBody ? undefined : recorded), status };
    },
  });
}

function replaceBody(response: HttpResponse, { body, mediaType }: Partial<ShownResponse> = {}): HttpResponse {
  if (body === undefined) return response;
  const others = response.headers.filter(([name]) => name !== 'content-type');
  const type = mediaType === undefined ? [] : [['content-type', mediaType] as const];
  return { ...response, headers: [...type, ...others], body };
}
