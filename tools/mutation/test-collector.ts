import { expect } from '@playwright/test';
import type { MutationTest } from './runner.js';

/** Replaces `@playwright/test` in specs that run without Playwright: `test` collects the tests. */
export { expect };

type Body = (fixtures: object) => unknown;

const collected: MutationTest[] = [];
const titles: string[] = [];

/** Returns the tests that were collected since the last call. */
export function takeCollected(): readonly MutationTest[] {
  return collected.splice(0);
}

/** Tests with these tags are too slow to run for each mutant. */
const excludedTags = ['@long', '@slow'];

export function test(title: string, ...rest: readonly [Body] | readonly [{ readonly tag?: string }, Body]): void {
  const [details, body] = rest.length === 1 ? [{}, rest[0]] : rest;
  if (excludedTags.includes(details.tag ?? '')) return;
  const name = [...titles, title].join(' › ');
  collected.push({ name, run: async () => void (await body({})) });
}

test.describe = (title: string, body: () => void): void => {
  titles.push(title);
  body();
  titles.pop();
};
