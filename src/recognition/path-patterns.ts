import { cacheByText } from '../support/caches.js';

/** `*` stands for a step or a part of one, `**` for any number of steps. An index matches any: a filter decides about it. */
export function matchesPathPatterns(path: string, stated: readonly string[]): boolean {
  return stated.some((pattern) => pattern === path || matchesSteps(splitSteps(path), splitSteps(pattern)));
}

const anySteps = '**';

const splitSteps = cacheByText((path): readonly string[] => path.split('/'));

/**
 * Not a regular expression: those take exponential time for some patterns, and evidence from somebody else states patterns.
 * If the steps after a `**` do not match, it is enough that the last `**` stands for one step more.
 */
function matchesSteps(steps: readonly string[], pattern: readonly string[]): boolean {
  let [at, next] = [0, 0];
  let retry: { at: number; readonly next: number } | undefined;
  while (at < steps.length) {
    const wanted = pattern[next];
    if (wanted === anySteps) {
      next += 1;
      retry = { at, next };
    } else if (wanted !== undefined && matchesStep(steps[at] ?? '', wanted)) {
      at += 1;
      next += 1;
    } else if (retry !== undefined) {
      retry.at += 1;
      ({ at, next } = retry);
    } else return false;
  }
  return pattern.slice(next).every((wanted) => wanted === anySteps);
}

function matchesStep(step: string, pattern: string): boolean {
  if (step === pattern) return true;
  if (/^\d+$/.test(pattern)) return step === '*';
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined || !step.startsWith(first)) return false;
  const end = step.length - last.length;
  let at = first.length;
  for (const part of parts) {
    const found = step.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= end && step.endsWith(last);
}
