import { refuse } from '../deployment/early-response.js';
import type { Members } from '../deployment/json.js';
import { waived } from '../deployment/parsed-request.js';
import { type Fault, unlessWaived } from './fault.js';

interface MetadataRule {
  readonly key: string;
  readonly is: string;
}

/**
 * Metadata rules that hold for something else than they should.
 *
 * @param holds takes the top-level metadata and the order's
 */
function ruleFault(
  id: string,
  story: string,
  sentence: string,
  holds: (rule: MetadataRule, metadata: Members, orderMetadata: Members) => boolean,
): Fault {
  return {
    id,
    breaks: 'metadata.promotion-rules',
    story,
    sentence,
    change: () => ({
      metadataRule: (rule, { metadata, orderMetadata }) =>
        metadata === waived || holds(rule, metadata, unlessWaived(orderMetadata, {})),
    }),
  };
}

const holds = ({ key, is }: MetadataRule, metadata: Members): boolean => metadata[key] === is;
const isListed = ({ key, is }: MetadataRule, orderMetadata: Members): boolean =>
  [orderMetadata[key]].flat().includes(is);
const isEmpty = (metadata: Members): boolean => Object.keys(metadata).length === 0;

/** What the top-level metadata of a request is compared with. */
export const metadataFaults: readonly Fault[] = [
  ruleFault(
    'metadata-rules-ignored',
    'Rules about metadata are loaded but never checked.',
    'Rules about metadata are ignored: promotions are returned although these rules do not hold.',
    () => true,
  ),
  ruleFault(
    'metadata-unread',
    'Rules about metadata are compared with an empty object.',
    'The metadata is not read: promotions with rules about metadata are never returned.',
    () => false,
  ),
  ruleFault(
    'metadata-by-key',
    'A rule compares the key, and not the value.',
    'Rules about metadata compare keys only: any value meets them.',
    ({ key }, metadata) => Object.hasOwn(metadata, key),
  ),
  ruleFault(
    'metadata-by-value',
    'A rule searches for its value under any key.',
    'Rules about metadata compare values only: a value under any key meets them.',
    ({ is }, metadata) => Object.values(metadata).includes(is),
  ),
  ruleFault(
    'metadata-of-the-order',
    'order.metadata is read in place of the top-level one.',
    'The metadata of the order is read in place of the metadata of the request.',
    (rule, _, orderMetadata) => isListed(rule, orderMetadata),
  ),
  ruleFault(
    'metadata-of-the-order-too',
    'Both kinds of metadata are merged into one object.',
    'The metadata of the order counts as metadata of the request, too.',
    (rule, metadata, orderMetadata) => holds(rule, metadata) || isListed(rule, orderMetadata),
  ),
  ruleFault(
    'unsent-metadata-key-holds',
    'Each sent entry is compared with the rule about its key, so a rule without an entry is never checked.',
    'A rule about metadata holds if the request has metadata without the key of the rule.',
    (rule, metadata) => holds(rule, metadata) || !(isEmpty(metadata) || Object.hasOwn(metadata, rule.key)),
  ),
  ruleFault(
    'no-metadata-no-metadata-rules',
    'Rules about metadata are skipped where no entry is sent.',
    'Rules about metadata are ignored if the request has no metadata.',
    (rule, metadata) => holds(rule, metadata) || isEmpty(metadata),
  ),
  ruleFault(
    'metadata-store-name-only',
    'Only store_name is read, the key of the example in the documentation.',
    'Only the metadata key store_name is read.',
    (rule, metadata) => rule.key === 'store_name' && holds(rule, metadata),
  ),
  {
    id: 'metadata-refused',
    breaks: 'metadata.promotion-rules',
    story: 'The body’s schema has no member of this name.',
    change: (handlers) => ({
      metadataOf(members) {
        const metadata = handlers.metadataOf(members);
        return isEmpty(unlessWaived(metadata, {}))
          ? metadata
          : refuse(400, 'metadata: not accepted', 'invalid_payload');
      },
    }),
  },
];
