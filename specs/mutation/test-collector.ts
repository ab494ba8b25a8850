import { expect } from '@playwright/test';
import type { MutationTest } from './mutation-test.js';

/**
 * Stands in for `@playwright/test` where specs are loaded without Playwright's runner: its `test` keeps what it is
 * given, in place of running it.
 */
export { expect };

type Body = (fixtures: object) => unknown;

const collected: MutationTest[] = [];
const titles: string[] = [];

/** The tests that were given since this was last called. */
export function takeCollected(): readonly MutationTest[] {
  return collected.splice(0);
}

/** Tests of these tags take longer than all the others, and would be run for every mutant that survives them. */
const leftOut = ['@long', '@slow'];

/** As Playwright's. */
export function test(title: string, ...rest: readonly [Body] | readonly [{ readonly tag?: string }, Body]): void {
  const [details, body] = rest.length === 1 ? [{}, rest[0]] : rest;
  if (leftOut.includes(details.tag ?? '')) return;
  const name = [...titles, title].join(' › ');
  collected.push({ name, run: async () => void (await body({})) });
}

test.describe = (title: string, body: () => void): void => {
  titles.push(title);
  body();
  titles.pop();
};
