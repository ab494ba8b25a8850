import { createViolationUnless, defineAssertion } from '../assertion.js';

/** @param wantsOne whether the body must mention at least one of the texts, and not none */
export function defineBodyTextsAssertion(key: string, description: string, wantsOne: boolean) {
  return defineAssertion<readonly string[], { readonly texts: readonly string[] }>({
    key,
    schema: { description, type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } },
    read: (texts, { fillReferences }) => ({ texts: texts.map(fillReferences) }),
    describe: ({ texts }) => `mentions ${wantsOne ? 'one' : 'none'} of ${texts.join(', ')}`,
    judge({ texts }, { exchange: { response } }) {
      const found = texts.some((text) => response.body.includes(text));
      return createViolationUnless(found === wantsOne, found ? 'texts-mentioned' : 'texts-not-mentioned', {
        count: texts.length,
      });
    },
    listNeededIds: ({ texts }, { world }) =>
      [...world.unavailable.keys()].filter((id) => texts.some((text) => text.includes(id))),
  });
}

export default defineBodyTextsAssertion('body.mentions', 'The body contains at least one of these texts.', true);
