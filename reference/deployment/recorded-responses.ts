import type { Tier } from '../../src/contract/world.js';
import type { HttpResponse } from '../../src/http/exchange.js';
import { type Behaviours, convertOutcomesToBehaviours, shapeQuestions } from './behaviours.js';
import type { Change } from './handlers.js';
import { repeatTiers } from './response.js';

/** Responses of another deployment. */
export interface RecordedResponses {
  readonly questions: Readonly<Record<string, { readonly outcome: string; readonly response?: RecordedResponse }>>;
  /** Bodies with placeholders for what differs between results. */
  readonly bodies?: { readonly promotions?: unknown; readonly expanded?: unknown; readonly none?: unknown };
}

interface RecordedResponse {
  readonly status: number;
  readonly media_type?: string;
  readonly body?: string;
}

/** Fills a body with promotions, as a text. The turn differs in each response. */
export type BodyFiller = (template: unknown, tiers: readonly Tier[], turn: number) => string;

/**
 * Makes the deployment answer as a recorded one did, except where other outcomes are chosen.
 *
 * @returns what it cannot imitate, too: ids of questions
 */
export function imitateRecord(
  { questions: all, bodies = {} }: RecordedResponses,
  chosen: Behaviours,
  fill: BodyFiller,
) {
  const kept = Object.entries(all).filter(([id, { outcome }]) => (chosen[id] ?? outcome) === outcome);
  const questions = Object.fromEntries(kept);
  const outcomes = Object.fromEntries(kept.map(([id, { outcome }]) => [id, outcome]));
  const { behaviours, inimitable } = convertOutcomesToBehaviours(outcomes);
  // Recorded bodies answer these questions.
  const isImitated = (id: string) =>
    (id === shapeQuestions.list && bodies.promotions !== undefined) ||
    (id === shapeQuestions.error && questions[id]?.response?.body !== undefined);
  const repeatability = chosen.repeatability ?? all.repeatability?.outcome;
  const change = imitateResponses({ questions, bodies }, repeatability, fill);
  return { behaviours, change, inimitable: inimitable.filter((id) => !isImitated(id)) };
}

/** Answers with the recorded bodies, and with the recorded status and text if a question ends a request. */
function imitateResponses(
  { questions, bodies }: Required<RecordedResponses>,
  repeatability: string | undefined,
  fill: BodyFiller,
): Change {
  const { promotions, expanded = promotions, none = promotions } = bodies;
  const shown = questions['error-shape']?.response;
  const error = shown !== undefined && shown.status >= 400 ? shown : undefined;
  const isRepeatable = repeatability === 'identical';
  let responses = 0;
  return (handlers, { behaviours }) => ({
    list: (tiers, request) => {
      const response = handlers.list(tiers, request);
      const template = tiers.length === 0 ? none : request.expand.length > 0 ? expanded : promotions;
      if (promotions === undefined) return response;
      // Where a repeated request gets the same body, what changed in the recorded ones followed from other requests.
      if (!isRepeatable) responses += 1;
      const listed = repeatTiers(tiers, request, behaviours['result-repetition']);
      return { ...response, body: fill(template, listed, responses) };
    },
    // Where a question ends a request, its own response follows.
    refused: (refusal) => replaceBody(handlers.refused(refusal), error),
    end: (response, question) => {
      const recorded = questions[question ?? '']?.response;
      if (recorded === undefined) return response;
      const { status, body } = recorded;
      // The request that shows the answer to a question may be another one than the one that was refused.
      const isSameKind = Math.trunc(status / 100) === Math.trunc(response.status / 100);
      if (!isSuccessful(response.status) && !isSameKind) return response;
      const keepsBody = isSuccessful(status) && body !== '';
      return { ...replaceBody(response, keepsBody ? undefined : recorded), status };
    },
  });
}

function isSuccessful(status: number): boolean {
  return status >= 200 && status < 300;
}

function replaceBody(response: HttpResponse, { body, media_type }: Partial<RecordedResponse> = {}): HttpResponse {
  if (body === undefined) return response;
  const others = response.headers.filter(([name]) => name !== 'content-type');
  const type = media_type === undefined ? [] : [['content-type', media_type] as const];
  // A number that changes must stay a number.
  return { ...response, headers: [...type, ...others], body: body.replaceAll(/(?<=[:,[])…(?=[,\]}])/g, '0') };
}
