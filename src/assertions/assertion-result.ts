/** Whether an assertion holds. `unclear`: the exchanges neither prove nor refute it. */
export type AssertionResult = { readonly is: 'holds' } | NegativeResult;

export interface NegativeResult {
  readonly is: 'violated' | 'unclear';
  /** Renders the reason. A function, because few reasons are shown and some are expensive to render. */
  readonly explain: () => string;
  /** The exchange that shows it, if it is not the one that the assertion is about. */
  readonly shownBy?: string;
}

export const holds: AssertionResult = { is: 'holds' };

export function violated(reason: string | (() => string)): NegativeResult {
  return { is: 'violated', explain: typeof reason === 'string' ? () => reason : reason };
}

export function unclear(reason: string): NegativeResult {
  return { is: 'unclear', explain: () => reason };
}

/** Returns `holds`, or `violated` with the reason. */
export function holdsIf(condition: boolean, reason: string): AssertionResult {
  return condition ? holds : violated(reason);
}

/** Combines results with "and". A violation outweighs a doubt. */
export function combineAll(results: readonly AssertionResult[]): AssertionResult {
  return results.find(({ is }) => is === 'violated') ?? results.find(({ is }) => is === 'unclear') ?? holds;
}

/** Combines at least one result with "or". A doubt outweighs a violation. */
export function combineAny(results: readonly AssertionResult[]): AssertionResult {
  const best = results.find(({ is }) => is === 'holds') ?? results.find(({ is }) => is === 'unclear') ?? results[0];
  return best ?? violated('There is no alternative.');
}
