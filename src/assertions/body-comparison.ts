import { defineAssertion, type ResponseKind } from './assertion.js';
import { holdsIf, unclear } from './truth.js';

/** A kind that compares the bodies of two responses. */
export function bodyComparison(
  key: string,
  description: string,
  wantsSame: boolean,
): ResponseKind<string, { readonly other: string }> {
  return defineAssertion({
    key,
    schema: { description, type: 'string' },
    read: (name, { request }) => ({ other: request(name) }),
    words: ({ other }) => `has ${wantsSame ? 'the' : 'another'} body ${wantsSame ? 'of' : 'than'} '${other}'`,
    judge({ other: name }, { exchange: { response }, other }) {
      const one = other(name);
      if ('because' in one) return unclear(`'${name}': ${one.because}`);
      const isSame = response.body === one.response.body;
      return holdsIf(isSame === wantsSame, `The body ${isSame ? 'equals' : 'differs from'} that of '${name}'.`);
    },
  });
}
