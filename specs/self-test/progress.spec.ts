import { expect, test } from '@playwright/test';
import { createPlan } from '../../src/engine/plan.js';
import { renderProgress } from '../../src/report/terminal/progress.js';
import { suite } from './support/in-process.js';

const plan = createPlan(suite, { target: {}, excludesIntrusive: false });
const left = (text: string) => Number(/about (\d+) requests are left/.exec(text)?.[1]);

test('The progress line counts remaining requests and estimates the time', () => {
  const requests = plan.cases.reduce((sum, each) => sum + each.requests.length, plan.samples.requests);
  const begun = renderProgress(plan, new Set(), 1_000);
  expect(begun).toBe(`0 of ${plan.cases.length} cases; about ${requests} requests are left.`);
  const half = plan.cases.slice(0, 40);
  const sent = half.reduce((sum, each) => sum + each.requests.length, 0);
  const text = renderProgress(plan, new Set(half.map(({ id }) => id)), sent * 200);
  expect(text).toBe(
    `40 of ${plan.cases.length} cases; about ${requests - sent} requests are left, at this pace ${Math.ceil((requests - sent) / 5)} s.`,
  );
  // What is sent once more at the end is left until then.
  expect(left(renderProgress(plan, new Set(plan.cases.map(({ id }) => id)), 1_000))).toBe(plan.samples.requests);
});
