import type { ResolveHook } from 'node:module';

/** A module hook of Node.js: specs import the test collector in place of Playwright's runner. */
export const resolve: ResolveHook = (specifier, context, nextResolve) => {
  const isSpec = context.parentURL?.includes('/test/') ?? false;
  if (specifier !== '@playwright/test' || !isSpec) return nextResolve(specifier, context);
  return { url: new URL('test-collector.js', import.meta.url).href, shortCircuit: true };
};
