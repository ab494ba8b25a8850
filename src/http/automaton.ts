/** Letters of Latin-1 in either case have the same code here. */
const folded = new Uint16Array(0x1_0000).map((_, code) => code);
for (let code = 0; code < 0x180; code += 1) {
  const lower = String.fromCharCode(code).toLowerCase();
  if (lower.length === 1) folded[code] = lower.charCodeAt(0);
}

/** Calls back for each end of a pattern in a text, in order; with the longest pattern that ends there. */
export type FindPatterns = (text: string, report: (from: number, to: number, owner: number) => void) => void;

/** What has been read of one pattern or more. */
class State {
  readonly next = new Map<number, State>();
  /** The longest other state with which this one ends; itself at the start. */
  fallback: State = this;
  /** The length of the longest pattern that ends here, or 0. */
  length = 0;
  owner = 0;
}

/**
 * Builds an automaton that finds many patterns in one pass, in linear time and in any letter case
 * (A. Aho and M. Corasick, "Efficient string matching", 1975).
 *
 * @param patterns each with the number of its owner; of equal patterns the first counts
 */
export function createAutomaton(patterns: readonly (readonly [pattern: string, owner: number])[]): FindPatterns {
  const start = new State();
  for (const [pattern, owner] of patterns) {
    let state = start;
    for (let at = 0; at < pattern.length; at += 1) {
      const code = folded[pattern.charCodeAt(at)] as number;
      const next = state.next.get(code) ?? new State();
      state.next.set(code, next);
      state = next;
    }
    if (state.length === 0) Object.assign(state, { length: pattern.length, owner });
  }
  const step = (from: State, code: number): State => {
    for (let state = from; ; state = state.fallback) {
      const next = state.next.get(code);
      if (next !== undefined) return next;
      if (state === start) return start;
    }
  };
  // Breadth first: a fallback is shorter, so it is complete before.
  const queue = [start];
  for (const state of queue)
    for (const [code, next] of state.next) {
      queue.push(next);
      next.fallback = state === start ? start : step(state.fallback, code);
      const { length, owner } = next.fallback;
      if (next.length === 0) Object.assign(next, { length, owner });
    }
  // Most letters of most texts begin no pattern.
  const begins = new Uint8Array(0x1_0000);
  for (const code of start.next.keys()) begins[code] = 1;

  return (text, report) => {
    let state = start;
    for (let at = 0; at < text.length; at += 1) {
      const code = folded[text.charCodeAt(at)] as number;
      if (state === start && begins[code] === 0) continue;
      state = step(state, code);
      if (state.length > 0) report(at + 1 - state.length, at + 1, state.owner);
    }
  };
}
