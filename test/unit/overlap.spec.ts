/** What the times of a run show: which requests were answered at the same time, and what they took from each other. */

import { expect, test } from '@playwright/test';
import { findSimultaneousParts } from '../../src/explanation/earlier-parts.js';
import { countOverlap, isOnlyWrongAmongOthers, listSimultaneous } from '../../src/explanation/overlap.js';
import { listSymptoms } from '../../src/explanation/symptom.js';
import type { Exchange, HttpRequest } from '../../src/http/exchange.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import { listRequestsOfCase } from '../../src/run/case-sender.js';
import { suite } from '../support/in-process.js';
import { createIndependentDeployment } from '../support/independent-deployment.js';

const respond = createIndependentDeployment(suite.world);
const calibration = suite.calibration.map((request) => ({ request, response: respond(request) }));
const target = { world: suite.world, recognizer: createRecognizer(suite.world), calibration, isWorldSeen: true };
const plain = suite.calibration[0] as HttpRequest;

/** @param taken for which request the deployment takes it */
const answer = (request: HttpRequest, taken: HttpRequest, startedAt: number, durationMs: number): Exchange => ({
  request,
  response: respond(taken),
  timing: { startedAt, durationMs },
});

const byCampaign = suite.cases
  .filter(({ id }) => id === 'campaign-filter')
  .flatMap(listRequestsOfCase)
  .filter(({ path }) => path.includes('filters'));

/** A request, and another one with whose query its result is wrong in several promotions. */
function findPair(): readonly [HttpRequest, HttpRequest] {
  const request = byCampaign[0] as HttpRequest;
  const other = byCampaign.find(({ path }) => {
    const symptoms = listSymptoms(answer(request, { ...request, path }, 0, 1), target);
    return symptoms.filter(({ kind }) => kind === 'extra').length >= 2;
  });
  return [request, other as HttpRequest];
}

const [request, other] = findPair();
const taken = { ...request, path: other.path };
const wrong = answer(request, taken, 1_000, 50);
const simultaneous = answer(other, other, 1_010, 5);
const earlier = answer(other, other, 900, 5);

test('Requests are simultaneous if their times overlap', () => {
  expect(listSimultaneous(wrong, [earlier, wrong, simultaneous])).toEqual([simultaneous]);
  expect(listSimultaneous(wrong, [earlier, wrong])).toEqual([]);
});

test('A wrong result is right with the query of a request at the same time, or with that of none', () => {
  expect(findSimultaneousParts(wrong, [simultaneous], { plain }, target)?.words).toBe(
    'the filter by promotion_id of a request at the same time in place of its own',
  );
  expect(findSimultaneousParts(wrong, [], { plain }, target)).toBeUndefined();
  const unfiltered = answer(request, { ...request, path: plain.path }, 1_000, 50);
  expect(findSimultaneousParts(unfiltered, [simultaneous], { plain }, target)).toBeUndefined();
});

test('Requests that are wrong at times are wrong only among others if they are right each time alone', () => {
  const together = Array.from({ length: 6 }, (_, n) => [
    answer(request, taken, 100 * n, 50),
    answer(other, other, 100 * n + 10, 5),
  ]).flat();
  const alone = Array.from({ length: 6 }, (_, n) => answer(request, request, 10_000 + 100 * n, 5));
  const wrongAlone = Array.from({ length: 2 }, (_, n) => answer(request, taken, 20_000 + 100 * n, 5));
  const isOnlyAmongOthers = (exchanges: readonly Exchange[]) => {
    const counts = countOverlap(exchanges, target);
    return counts !== undefined && isOnlyWrongAmongOthers(counts);
  };
  expect(isOnlyAmongOthers([...together, ...alone])).toBe(true);
  expect(isOnlyAmongOthers([...together, ...alone, ...wrongAlone])).toBe(false);
  expect(isOnlyAmongOthers(alone)).toBe(false);
});
