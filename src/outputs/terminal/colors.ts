import { styleText } from 'node:util';

/** What is colored: words of the suite at the beginning of a line, where no text of a target can be. */
const rules = [
  [/^(?:DOES-NOT-CONFORM| *(?:fail|error|drift)(?= {2}))/gm, 'red'],
  [/^(?:CONFORMS(?!.*(?:changed|gone))|All \d+ requirements pass)/gm, 'green'],
  [/^(?:INCOMPLETE|CONFORMS| *(?:inconclusive|not-applicable|not-run|unstable)(?= {2}))/gm, 'yellow'],
  [/^(?:What most likely is wrong:|\d+\. .*)$/gm, 'bold'],
] as const;

/** Adds colors to the report of a run, if standard output has any: see NO_COLOR and FORCE_COLOR. */
export function addColors(report: string): string {
  return rules.reduce(
    (text, [pattern, format]) => text.replace(pattern, (part) => styleText(format, part, { stream: process.stdout })),
    report,
  );
}
