/** Stands for any number of steps in a stated pattern. */
export const anyStepsWildcard = '**';

/** Whether a pattern matches one of the stated patterns. An index matches the index of any list. */
export function matchesPatterns(pattern: string, stated: readonly string[]): boolean {
  const steps = pattern.split('/');
  return stated.some((wanted) => matchesSteps(steps, wanted.split('/')));
}

function matchesSteps(steps: readonly string[], [wanted, ...others]: readonly string[]): boolean {
  if (wanted === undefined) return steps.length === 0;
  if (wanted === anyStepsWildcard)
    return steps.some((_, n) => matchesSteps(steps.slice(n), others)) || matchesSteps([], others);
  const [step, ...rest] = steps;
  if (step === undefined) return false;
  const isSame = wanted === '*' || wanted === step || (step === '*' && /^\d+$/.test(wanted));
  return isSame && matchesSteps(rest, others);
}
