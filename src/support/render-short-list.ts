import { groupBy } from './group-by.js';

const maxListed = 5;

/** Renders the first names for a sentence: `a, b, c, d, e and 3 more`. */
export function renderShortList(names: readonly string[]): string {
  const more = names.length - maxListed;
  return `${names.slice(0, maxListed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Renders how often each text occurs, the most frequent first: `12 × a, 3 × b`. */
export function renderCounts(texts: readonly string[]): string {
  const counts = [...groupBy(texts, (text) => text)].sort(([, a], [, b]) => b.length - a.length);
  return renderShortList(counts.map(([text, { length }]) => `${length} × ${text}`));
}
