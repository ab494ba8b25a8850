/** Stands for any number of steps in a stated pattern. */
export const anyStepsWildcard = '**';

/** The indices of the steps of a pattern that may come next. Contains the number of steps if the path is complete. */
export type PatternState = ReadonlySet<number>;

/** Whether a pattern matches one of the stated patterns. A stated index matches any index: a filter decides about it. */
export function matchesPatterns(pattern: string, stated: readonly string[]): boolean {
  // Patterns that were found are stated as they are, and may have thousands of steps.
  if (stated.includes(pattern)) return true;
  const steps = pattern.split('/');
  return stated.some((statedPattern) => {
    const wanted = statedPattern.split('/');
    const end = steps.reduce(
      (state, step) =>
        advance(
          state,
          wanted,
          (wantedStep) => wantedStep === '*' || wantedStep === step || (step === '*' && /^\d+$/.test(wantedStep)),
        ),
      getInitialState(wanted),
    );
    return end.has(wanted.length);
  });
}

/** Returns the state at the beginning of a path. */
export function getInitialState(wanted: readonly string[]): PatternState {
  return skipWildcards(new Set([0]), wanted);
}

/** Returns the state after one more step of a path. In linear time: patterns may come from elsewhere. */
export function advance(
  state: PatternState,
  wanted: readonly string[],
  matches: (step: string) => boolean,
): PatternState {
  const next = new Set<number>();
  for (const at of state) {
    const step = wanted[at];
    if (step === anyStepsWildcard) next.add(at);
    else if (step !== undefined && matches(step)) next.add(at + 1);
  }
  return skipWildcards(next, wanted);
}

/** A wildcard may stand for no step at all. */
function skipWildcards(state: Set<number>, wanted: readonly string[]): PatternState {
  // The loop visits what it adds.
  for (const at of state) if (wanted[at] === anyStepsWildcard) state.add(at + 1);
  return state;
}
