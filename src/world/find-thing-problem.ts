import { loadPartValidator } from '../support/schema-validation.js';
import type { World } from './world.js';

/**
 * What is wrong with a thing that a world is to list, by the schema of expanded worlds: a sentence, or undefined.
 *
 * @param list in which it would be
 */
export function findThingProblem(list: keyof World, thing: object): string | undefined {
  const validate = loadPartValidator('expanded-world', `/properties/${list}/items`);
  if (validate(thing)) return undefined;
  const [error] = validate.errors ?? [];
  const member: unknown = error?.params.additionalProperty;
  const what = typeof member === 'string' ? `must not have the member '${member}'` : error?.message;
  return `${error?.instancePath || 'It'} ${what}.`;
}
