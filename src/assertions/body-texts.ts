import { defineAssertion, type ResponseKind } from './assertion.js';
import { holdsIf } from './assertion-result.js';

/** A kind that looks for texts in a body: at least one of them occurs, or none. */
export function createBodyTextsKind(
  key: string,
  description: string,
  wantsOne: boolean,
): ResponseKind<readonly string[], { readonly texts: readonly string[] }> {
  return defineAssertion({
    key,
    schema: { description, type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } },
    read: (texts, { fillReferences: fill }) => ({ texts: texts.map(fill) }),
    describe: ({ texts }) => `mentions ${wantsOne ? 'one' : 'none'} of ${texts.join(', ')}`,
    judge({ texts }, { exchange: { response } }) {
      const found = texts.some((text) => response.body.includes(text));
      return holdsIf(found === wantsOne, `The body names ${found ? 'at least one' : 'none'} of ${texts.length}.`);
    },
    listNeededIds: ({ texts }, { world }) =>
      [...world.unavailable.keys()].filter((id) => texts.some((text) => text.includes(id))),
  });
}
