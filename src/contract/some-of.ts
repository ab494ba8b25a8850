const mostListed = 5;

/** The first few of some names, for a sentence: `a, b, c, d, e and 3 more`. */
export function someOf(names: readonly string[]): string {
  const more = names.length - mostListed;
  return `${names.slice(0, mostListed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
