/** The fault domain of the proof: no decision of the reference deployment is missing, and changes to its code are judged. */

import { expect, test } from '@playwright/test';
import {
  handlersWithoutFaults,
  listDecisionFamilies,
  listFaultsByHandler,
  placesOfParts,
} from '../../tools/proof/fault-domain.js';
import { combineAll, decisionKinds } from '../../tools/proof/generated-faults.js';
import { createMutantJudge } from '../../tools/proof/judge-mutant.js';
import { listMutants, type Mutant } from '../../tools/proof/mutants.js';
import { suite } from '../support/in-process.js';

test('Each handler of the reference deployment is replaced by a fault, or has a reason why none does', () => {
  const handlers = listFaultsByHandler(suite.world);
  expect(handlers.length).toBeGreaterThan(30);
  const without = handlers.filter(({ decisions, faults }) => decisions.length + faults === 0);
  expect(without.map(({ handler }) => handler).toSorted()).toEqual(Object.keys(handlersWithoutFaults).toSorted());
  const findHandler = (name: string) => handlers.find(({ handler }) => handler === name);
  expect(findHandler('newest')?.decisions).toEqual(['window']);
  expect(findHandler('isEnough')).toMatchObject({ decisions: [], faults: expect.any(Number) });
});

test('Each part of a request has places where it outlives the request, or a reason why not', () => {
  const places = new Set(combineAll().map(({ place }) => place));
  const named = Object.values(placesOfParts).flatMap((found) => ('reason' in found ? [] : found));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((id) => !places.has(id))).toEqual([]);
});

test('The domain counts each fault once', () => {
  const families = listDecisionFamilies();
  expect(families.map(({ kind }) => kind)).toEqual(Object.keys(decisionKinds));
  const decisions = families.flatMap((family) => family.decisions);
  expect(new Set(decisions.map(({ id }) => id)).size).toBe(decisions.length);
  for (const { id, ways, visible, open, equivalent, unasked } of decisions)
    expect(visible + open + equivalent + unasked, id).toBe(ways);
  expect(decisions.reduce((sum, { ways }) => sum + ways, 0)).toBe(combineAll().length);
});

test('Changes to the code of the reference deployment are judged by what a run finds out', async () => {
  const mutants = await listMutants();
  const find = (isMeant: (mutant: Mutant) => boolean) => mutants.find(isMeant)?.id ?? '';
  const inEligibility = ({ file }: Mutant) => file === 'eligibility.js';
  const judge = await createMutantJudge(suite);
  try {
    const rows = [
      ['found', find((mutant) => inEligibility(mutant) && mutant.replacement.startsWith('tier.rules.some('))],
      ['found', find((mutant) => inEligibility(mutant) && mutant.replacement === 'quantity > atLeast')],
      // What runs before the first request.
      ['found', find(({ file, change }) => file === 'catalogue.js' && change === 'ArithmeticOperator')],
      ['open', find(({ file, change }) => file === 'early-response.js' && change === 'ObjectLiteral')],
      ['equal', find(({ file, replacement }) => file === 'authentication.js' && replacement === 'false')],
      ['unreached', find((mutant) => inEligibility(mutant) && mutant.replacement === 'a.toUpperCase()')],
    ] as const;
    for (const [fate, id] of rows) {
      expect(id, fate).not.toBe('');
      expect(await judge.judge(id), id).toBe(fate);
    }
  } finally {
    judge.end();
  }
});
