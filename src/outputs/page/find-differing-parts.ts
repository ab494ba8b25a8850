/** A part of a text that another text has as well, or that it does not have. */
export interface TextPart {
  readonly text: string;
  readonly differs: boolean;
}

/** The number of pairs of words that are compared. Between longer texts, all is one difference. */
const maxPairs = 250_000;

/** Splits a text into what another one has in the same order, and what it does not have: whole words, and single signs. */
export function findDifferingParts(text: string, other: string): TextPart[] {
  const [words, others] = [splitIntoWords(text), splitIntoWords(other)];
  const start = countCommon(words, others);
  const end = countCommon(words.slice(start).reverse(), others.slice(start).reverse());
  const middle = words.slice(start, words.length - end);
  const parts = [
    ...words.slice(0, start).map((word) => ({ text: word, differs: false })),
    ...compareWords(middle, others.slice(start, others.length - end)),
    ...words.slice(words.length - end).map((word) => ({ text: word, differs: false })),
  ];
  return mergeNeighbours(parts);
}

function splitIntoWords(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|./gsu) ?? [];
}

function countCommon(left: readonly string[], right: readonly string[]): number {
  const at = left.findIndex((word, n) => word !== right[n]);
  return at < 0 ? left.length : at;
}

/** Marks the words that are not in the longest common subsequence. */
function compareWords(left: readonly string[], right: readonly string[]): TextPart[] {
  if (left.length * right.length > maxPairs) return left.map((text) => ({ text, differs: true }));
  const lengths = measureCommon(left, right);
  const common = (n: number, m: number) => lengths[n]?.[m] ?? 0;
  let at = 0;
  return left.map((text, n): TextPart => {
    while (at < right.length && text !== right[at] && common(n, at + 1) > common(n + 1, at)) at += 1;
    const isCommon = at < right.length && text === right[at];
    if (isCommon) at += 1;
    return { text, differs: !isCommon };
  });
}

/** The lengths of the longest common subsequences of the ends of two lists: `[n][m]` is that from the words n and m on. */
function measureCommon(left: readonly string[], right: readonly string[]): number[][] {
  const lengths = Array.from({ length: left.length + 1 }, () => Array<number>(right.length + 1).fill(0));
  for (let n = left.length - 1; n >= 0; n -= 1)
    for (let m = right.length - 1; m >= 0; m -= 1) {
      const [row = [], below = []] = [lengths[n], lengths[n + 1]];
      row[m] = left[n] === right[m] ? (below[m + 1] ?? 0) + 1 : Math.max(below[m] ?? 0, row[m + 1] ?? 0);
    }
  return lengths;
}

function mergeNeighbours(parts: readonly TextPart[]): TextPart[] {
  const merged: TextPart[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (last?.differs === part.differs) merged.splice(-1, 1, { ...part, text: last.text + part.text });
    else merged.push(part);
  }
  return merged;
}
