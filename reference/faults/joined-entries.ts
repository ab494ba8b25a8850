import type { Members } from '../deployment/json.js';
import { type Fault, unlessWaived } from './fault.js';

/** What stands between a key and its value where both are looked up as one text. */
const separators = {
  nothing: '',
  'an-equals-sign': '=',
  'a-colon': ':',
  'a-dot': '.',
  'a-hyphen': '-',
  'an-underscore': '_',
  'a-slash': '/',
  'a-bar': '|',
  'a-comma': ',',
  'a-space': ' ',
  'a-semicolon': ';',
  'a-hash': '#',
  'an-ampersand': '&',
} as const;

/** Whether an entry joined to one text is the same text as a key and a value. */
function hasJoined(entries: Members, separator: string, key: string, value: string): boolean {
  return Object.entries(entries).some(([name, entry]) => `${name}${separator}${entry}` === key + separator + value);
}

/** Entries of metadata that are stored as one text: another key and value may yield the same one. */
export const joinedEntryFaults: readonly Fault[] = Object.entries(separators).flatMap(([name, separator]): Fault[] => [
  {
    id: `metadata-joined-by-${name}`,
    breaks: 'metadata.promotion-rules',
    story: 'The entries of a request become a set of texts, each a key and its value.',
    change: () => ({
      metadataRule: ({ key, is }, { metadata }) => hasJoined(unlessWaived<Members>(metadata, {}), separator, key, is),
    }),
  },
  {
    id: `metadata-filter-joined-by-${name}`,
    breaks: 'filter.tier-metadata',
    story: 'Tiers are indexed by one text, the key and the value of an entry.',
    change: () => ({ hasMetadata: ({ metadata }, key, value) => hasJoined(metadata, separator, key, value) }),
  },
]);
