/** Letters of Latin-1 in either case have the same code here. */
const folded = new Uint16Array(0x1_0000).map((_, code) => code);
for (let code = 0; code < 0x180; code += 1) {
  const lower = String.fromCharCode(code).toLowerCase();
  if (lower.length === 1) folded[code] = lower.charCodeAt(0);
}

/** The number of steps to keep, a power of two. */
const cached = 0x1_0000;

/** Calls back for each end of a pattern in a text, in order; with the longest pattern that ends there. */
export type FindPatterns = (text: string, report: (from: number, to: number, owner: number) => void) => void;

/**
 * Builds an automaton that finds many patterns in one pass, in linear time and in any letter case
 * (A. Aho and M. Corasick, "Efficient string matching", 1975).
 *
 * @param patterns each with the number of its owner; of equal patterns the first counts
 */
export function createAutomaton(patterns: readonly (readonly [pattern: string, owner: number])[]): FindPatterns {
  // State 0 is the root of a trie. The children of a state are a linked list; those of the root also have a table.
  const states = patterns.reduce((sum, [{ length }]) => sum + length, 1);
  const code = new Uint16Array(states);
  const [firstChild, sibling, fallback, matched, owner] = Array.from({ length: 5 }, () => new Int32Array(states)) as [
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
  ];
  const childOfRoot = new Int32Array(0x1_0000);
  let count = 1;

  const findChild = (state: number, wanted: number): number => {
    let child = firstChild[state] as number;
    while (child !== 0 && code[child] !== wanted) child = sibling[child] as number;
    return child;
  };
  const addChild = (state: number, wanted: number): number => {
    const child = count++;
    code[child] = wanted;
    sibling[child] = firstChild[state] as number;
    firstChild[state] = child;
    if (state === 0) childOfRoot[wanted] = child;
    return child;
  };
  const step = (state: number, wanted: number): number => {
    for (let from = state; from !== 0; from = fallback[from] as number) {
      const child = findChild(from, wanted);
      if (child !== 0) return child;
    }
    return childOfRoot[wanted] as number;
  };

  for (const [pattern, ownerOfPattern] of patterns) {
    let state = 0;
    for (let at = 0; at < pattern.length; at += 1) {
      const wanted = folded[pattern.charCodeAt(at)] as number;
      const child = state === 0 ? (childOfRoot[wanted] as number) : findChild(state, wanted);
      state = child === 0 ? addChild(state, wanted) : child;
    }
    if (matched[state] !== 0) continue;
    matched[state] = pattern.length;
    owner[state] = ownerOfPattern;
  }
  // Breadth first: a fallback is shorter, so it is complete before.
  const queue = [0];
  for (const state of queue) {
    for (let child = firstChild[state] as number; child !== 0; child = sibling[child] as number) {
      queue.push(child);
      if (state === 0) continue;
      const shorter = step(fallback[state] as number, code[child] as number);
      fallback[child] = shorter;
      if (matched[child] !== 0) continue;
      matched[child] = matched[shorter] as number;
      owner[child] = owner[shorter] as number;
    }
  }

  // The last step from some states by some letters: most texts take few different steps, again and again.
  const [from, letter, to] = [new Int32Array(cached), new Uint16Array(cached), new Int32Array(cached)];

  return (text, report) => {
    let state = 0;
    for (let at = 0; at < text.length; at += 1) {
      const wanted = folded[text.charCodeAt(at)] as number;
      if (state === 0) state = childOfRoot[wanted] as number;
      else {
        const slot = (Math.imul(state, 31) + wanted) & (cached - 1);
        if (from[slot] !== state || letter[slot] !== wanted) {
          to[slot] = step(state, wanted);
          from[slot] = state;
          letter[slot] = wanted;
        }
        state = to[slot] as number;
      }
      const length = matched[state] as number;
      if (length > 0) report(at + 1 - length, at + 1, owner[state] as number);
    }
  };
}
