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

/** In an address, words begin with no dollar sign, and braces and angle brackets are not allowed. %C3% is no variable. */
const addressReferences = [
  /\$[A-Za-z_]\w*/,
  /%(?![\dA-Fa-f]{2})[A-Za-z_]\w*%/,
  /%[A-Z]+_[A-Z_]+%/,
  /\{[^}]*\}/,
  /<[^>]*>/,
];

/** Finds a variable, or a place to fill in, that was not replaced in an address; undefined if there is none. */
export function findUnreplacedVariableInAddress(address: string): string | undefined {
  const found = addressReferences.flatMap((reference) => reference.exec(address)?.[0] ?? []);
  return findUnreplacedVariable(address) ?? found[0];
}
