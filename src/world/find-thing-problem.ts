import { loadValidator } from '../support/schema-validation.js';
import type { World } from './world.js';

const emptyWorld: World = { customers: [], products: [], skus: [], categories: [], campaigns: [], tiers: [] };

/** Checks a thing by the schema of expanded worlds. Returns a sentence about the first problem, or undefined. */
export function findThingProblem(list: keyof World, thing: object): string | undefined {
  const validate = loadValidator('expanded-world');
  if (validate({ ...emptyWorld, [list]: [thing] })) return undefined;
  const [error] = validate.errors ?? [];
  const member: unknown = error?.params.additionalProperty;
  const what = typeof member === 'string' ? `must not have the member '${member}'` : error?.message;
  return `${error?.instancePath.replace(`/${list}/0`, '') || 'It'} ${what}.`;
}
