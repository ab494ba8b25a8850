import type { MutantResult } from '@stryker-mutator/api/core';

/** Of what a mutant takes away or puts in, in characters, before its middle is left out. */
const longest = 90;
const leftOut = ' … ';

/**
 * A mutant as a word diff of the lines that it changes, such as `return a [-<-]{+<=+} b;`: so it is found again
 * wherever the lines move.
 */
export function renderDiff({ location: { start, end }, replacement = '' }: MutantResult, source: string): string {
  const lines = source.split('\n');
  // Lines and columns count from 1.
  const from = start.column - 1;
  const to = end.column - 1;
  const [first = '', last = ''] = [lines[start.line - 1], lines[end.line - 1]];
  const removed =
    start.line === end.line
      ? first.slice(from, to)
      : [first.slice(from), ...lines.slice(start.line, end.line - 1), last.slice(0, to)].join('\n');
  return squeezed(`${first.slice(0, from)}[-${shortened(removed)}-]{+${shortened(replacement)}+}${last.slice(to)}`);
}

/** Whether what a word diff says of the code before it is what a source has. */
export function matchesDiff(diff: string, source: string): boolean {
  const was = diff.replace(/\{\+.*?\+\}/s, '').replace(/\[-(.*)-\]/s, '$1');
  let at = 0;
  const text = squeezed(source);
  return was.split(leftOut).every((part) => {
    const found = text.indexOf(part, at);
    at = found + part.length;
    return found >= 0;
  });
}

function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function shortened(code: string): string {
  const text = squeezed(code);
  const half = longest / 2;
  return text.length <= longest ? text : `${text.slice(0, half)}${leftOut}${text.slice(-half)}`;
}
