/** Stands for any number of steps in a stated pattern. */
export const anyStepsWildcard = '**';

/** Whether a pattern matches one of the stated patterns. A stated index matches any index: a filter decides about it. */
export function matchesPatterns(pattern: string, stated: readonly string[]): boolean {
  // Patterns that were found are stated as they are, and may have thousands of steps.
  if (stated.includes(pattern)) return true;
  const steps = pattern.split('/');
  return stated.some((wanted) => matchesSteps(steps, wanted.split('/')));
}

/** In linear time: patterns may come from elsewhere. */
function matchesSteps(steps: readonly string[], wanted: readonly string[]): boolean {
  // The numbers of steps that the wanted ones so far can match.
  let counts = new Set([0]);
  for (const each of wanted) {
    const [least = steps.length + 1] = counts;
    const matches = (step: string | undefined) => each === '*' || each === step || (step === '*' && /^\d+$/.test(each));
    counts =
      each === anyStepsWildcard
        ? new Set(Array.from({ length: steps.length + 1 - least }, (_, n) => least + n))
        : new Set([...counts].filter((n) => n < steps.length && matches(steps[n])).map((n) => n + 1));
  }
  return counts.has(steps.length);
}
