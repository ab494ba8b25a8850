import { expect, test } from '@playwright/test';
import { countPlannedRequests, createPlan } from '../../src/engine/plan.js';
import { renderProgress } from '../../src/report/terminal/progress.js';
import { suite } from './support/in-process.js';

const plan = createPlan(suite, { target: {}, excludesIntrusive: false });

test('The progress line counts remaining requests and estimates the time by those that were sent', () => {
  const total = countPlannedRequests(plan);
  const cases = plan.cases.length + 1;
  expect(renderProgress(plan, { ended: 0, sent: 0, elapsedMs: 1_000 })).toBe(
    `0 of ${cases} cases; about ${total} requests are left.`,
  );
  const text = renderProgress(plan, { ended: 40, sent: total - 50, elapsedMs: (total - 50) * 200 });
  expect(text).toBe(`40 of ${cases} cases; about 50 requests are left, at this pace 10 s.`);
  // A failing case is repeated.
  expect(renderProgress(plan, { ended: cases, sent: total + 9, elapsedMs: 1 })).toContain('about 0 requests');
});
