import type { ResolveHook } from 'node:module';

/** A hook of Node.js: what specs import as Playwright's runner is the collector of their tests. */
export const resolve: ResolveHook = (specifier, context, nextResolve) => {
  const isSpec = context.parentURL?.includes('/specs/self-test/') ?? false;
  if (specifier !== '@playwright/test' || !isSpec) return nextResolve(specifier, context);
  return { url: new URL('test-collector.js', import.meta.url).href, shortCircuit: true };
};
