import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * Defers loading of a CommonJS package until the returned function is called. A short command spends most of its time
 * on loading packages.
 *
 * @typeParam T the type of the package, such as `typeof import('yaml')`
 */
export function requireLazily<T>(name: string): () => T {
  return () => require(name);
}
