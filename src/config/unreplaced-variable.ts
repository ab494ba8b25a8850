/**
 * The ways to name a variable that some tool should have replaced by its value: a shell, a pipeline or a template. A token may
 * contain a dollar sign, so a name without braces counts only if it is a word of its own, or has an underscore.
 */
const references = [
  /\$\{[^}]*\}/,
  /\{\{.*\}\}/,
  /\$\([A-Za-z_][\w.]*\)/,
  /<%.*%>/,
  /^%[A-Za-z_]\w*%$/,
  /\$env:[A-Za-z_]\w*/i,
  /(?<![^\s])\$[A-Z_][A-Z0-9_]*(?![^\s])/,
  /(?<![\w$])\$[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![\w$])/,
];

/** Finds a variable that was not replaced in a value, such as `$TOKEN` or `${{ secrets.TOKEN }}`; undefined if there is none. */
export function findUnreplacedVariable(value: string): string | undefined {
  return references.flatMap((reference) => reference.exec(value)?.[0] ?? [])[0];
}
