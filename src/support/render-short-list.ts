const maxListed = 5;

/** Renders the first names for a sentence: `a, b, c, d, e and 3 more`. */
export function renderShortList(names: readonly string[]): string {
  const more = names.length - maxListed;
  return `${names.slice(0, maxListed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
