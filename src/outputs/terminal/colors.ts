interface Output {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: { readonly isTTY?: boolean };
}

/** As most tools: https://no-color.org and https://force-color.org; CI systems show colors, too. */
function hasColors({ env, stdout }: Output): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return Boolean(env.CI) || (stdout.isTTY === true && env.TERM !== 'dumb');
}

/** What is colored: words of the suite at the beginning of a line, where no text of a target can be. */
const rules: readonly (readonly [pattern: RegExp, code: number])[] = [
  [/^(?:DOES-NOT-CONFORM| *(?:fail|error|drift)(?= {2}))/gm, 31],
  [/^(?:CONFORMS(?!.*changed)|All \d+ requirements pass)/gm, 32],
  [/^(?:INCOMPLETE|CONFORMS| *(?:inconclusive|not-applicable|not-run|unstable)(?= {2}))/gm, 33],
  [/^(?:What most likely is wrong:|\d+\. .*)$/gm, 1],
];

/** Adds colors to the report of a run, if the output has any. */
export function addColors(report: string, output: Output): string {
  if (!hasColors(output)) return report;
  const addColor = (text: string, [pattern, code]: (typeof rules)[number]) =>
    text.replace(pattern, (part) => `\u001b[${code}m${part}\u001b[0m`);
  return rules.reduce(addColor, report);
}
