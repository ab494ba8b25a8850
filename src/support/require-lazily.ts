import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * A package that only some commands need, or not every process of a run: to load it takes longer than all else that a
 * short command does.
 *
 * @param name of a CommonJS package, of which `T` is the type: `typeof import('yaml')`
 * @returns what the package exports; it is loaded when that is first called
 */
export function requireLazily<T>(name: string): () => T {
  return () => require(name);
}
