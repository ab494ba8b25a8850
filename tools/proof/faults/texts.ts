import { refuse } from '../../../reference/deployment/early-response.js';
import type { Handlers } from '../../../reference/deployment/handlers.js';
import type { Members } from '../../../reference/deployment/json.js';
import { waived } from '../../../reference/deployment/parsed-request.js';
import { type Fault, unlessWaived } from '../../../reference/faults/fault.js';

/** Whether an entry joined to one text is the same text as a key and a value. */
function hasJoined(entries: Members, separator: string, key: string, value: string): boolean {
  return Object.entries(entries).some(([name, entry]) => `${name}${separator}${entry}` === key + separator + value);
}

function filterFault(id: string, story: string, hasMetadata: Handlers['hasMetadata']): Fault {
  return { id, breaks: 'filter.tier-metadata', story, change: () => ({ hasMetadata }) };
}

/** Metadata that is refused for its keys or its values. */
function refusedMetadata(id: string, story: string, isRefused: (metadata: Members) => boolean): Fault {
  return {
    id,
    breaks: 'metadata.promotion-rules',
    story,
    change: (handlers) => ({
      metadataOf(members) {
        const metadata = handlers.metadataOf(members);
        if (isRefused(unlessWaived<Members>(metadata, {}))) refuse(400, 'metadata: not accepted', 'invalid_payload');
        return metadata;
      },
    }),
  };
}

/** Mistakes with texts that are no other comparison of one text. */
export const textFaults: readonly Fault[] = [
  {
    id: 'metadata-joined',
    breaks: 'metadata.promotion-rules',
    story: 'The entries of a request become a set of texts, each a key and its value.',
    change: () => ({
      metadataRule: ({ key, is }, { metadata }) => metadata === waived || hasJoined(metadata, '', key, is),
    }),
  },
  filterFault(
    'metadata-filter-joined',
    'Tiers are indexed by one text, the key and the value of an entry with "=" between them.',
    ({ metadata }, key, value) => hasJoined(metadata, '=', key, value),
  ),
  filterFault(
    'metadata-filter-as-boolean',
    'A value other than "true" counts as false.',
    ({ metadata }, key, value) => (metadata[key] === 'true') === (value === 'true'),
  ),
  {
    id: 'metadata-filter-decoded-twice',
    breaks: 'filter.tier-metadata',
    story: 'The value is decoded once more, which crashes at a %.',
    change: (handlers) => ({
      readFilter(parameter) {
        const filter = handlers.readFilter(parameter);
        if (filter?.field === 'metadata' && /%(?![0-9a-f]{2})/i.test(filter.value)) refuse(500, parameter.name);
        return filter;
      },
    }),
  },
  refusedMetadata('metadata-keys-refused', 'The schema of the body allows words as keys.', (metadata) =>
    Object.keys(metadata).some((key) => /\W/.test(key)),
  ),
  refusedMetadata('empty-metadata-value-refused', 'A validator wants every text to have a character.', (metadata) =>
    Object.values(metadata).includes(''),
  ),
];
