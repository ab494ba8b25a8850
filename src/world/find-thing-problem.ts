import { loadPartValidator } from '../support/schema-validation.js';
import type { World } from './world.js';

/** Checks a thing by the schema of expanded worlds. Returns a sentence about the first problem, or undefined. */
export function findThingProblem(list: keyof World, thing: object): string | undefined {
  const validate = loadPartValidator('expanded-world', `/properties/${list}/items`);
  if (validate(thing)) return undefined;
  const [error] = validate.errors ?? [];
  const member: unknown = error?.params.additionalProperty;
  const what = typeof member === 'string' ? `must not have the member '${member}'` : error?.message;
  return `${error?.instancePath || 'It'} ${what}.`;
}
