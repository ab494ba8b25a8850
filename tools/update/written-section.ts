import { readFileSync } from 'node:fs';

/**
 * Renders a document with another text between two comments, `<!-- name: written by … -->` and `<!-- end of name -->`.
 *
 * @throws Error if the document lacks one of them
 */
export function renderWithSection(file: string, name: string, section: string): string {
  const [begin, end] = [`<!-- ${name}: written by \`npm run update\` -->`, `<!-- end of ${name} -->`];
  const [before, rest = ''] = readFileSync(file, 'utf8').split(begin);
  const [, after] = rest.split(end);
  if (before === undefined || after === undefined) throw new Error(`${file} has no '${begin}' before '${end}'.`);
  return `${before}${begin}\n\n${section}\n\n${end}${after}`;
}
