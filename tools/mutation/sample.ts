import { readFileSync } from 'node:fs';

/** Chooses evenly spread lines of code, in the notation of Stryker's `mutate` option. */
export function sampleLines(files: readonly string[], size: number): string[] {
  const lines = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, n) => (isCode(line) ? [`${file}:${n + 1}-${n + 1}`] : [])),
  );
  const step = Math.max(1, lines.length / size);
  return lines.filter((_, n) => Math.floor(n / step) !== Math.floor((n - 1) / step));
}

function isCode(line: string): boolean {
  return !/^\s*(?:$|\/|\*|import |export (?:interface|type) |readonly |[\]})]+[,;)]*$)/.test(line);
}
