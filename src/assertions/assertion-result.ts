/** Whether an assertion holds. `unclear`: the exchanges neither prove nor refute it. */
export type AssertionResult =
  | { readonly is: 'holds' }
  | {
      readonly is: 'violated' | 'unclear';
      /** In words, for the user. */
      readonly because: string;
      /** The name of the exchange that shows it, where that is not the one that the assertion is of. */
      readonly shownBy?: string;
    };

export const holds: AssertionResult = { is: 'holds' };

export function violated(because: string): AssertionResult {
  return { is: 'violated', because };
}

/** Violated for a reason that is put into words where somebody wants to know it: of two readings one need not hold. */
export function violatedFor(reason: () => string): AssertionResult {
  let words: string | undefined;
  return {
    is: 'violated',
    get because() {
      words ??= reason();
      return words;
    },
  };
}

export function unclear(because: string): AssertionResult {
  return { is: 'unclear', because };
}

/** Holds, or is violated for this reason. */
export function holdsIf(condition: boolean, because: string): AssertionResult {
  return condition ? holds : violated(because);
}

/** All of them: violated as soon as one is, whatever the others. */
export function combineAll(truths: readonly AssertionResult[]): AssertionResult {
  return truths.find(({ is }) => is === 'violated') ?? truths.find(({ is }) => is === 'unclear') ?? holds;
}

/** At least one of them: unclear where none holds and one might. */
export function combineAny(truths: readonly AssertionResult[]): AssertionResult {
  return (
    truths.find(({ is }) => is === 'holds') ??
    truths.find(({ is }) => is === 'unclear') ??
    truths[0] ??
    violated('There is no alternative.')
  );
}
