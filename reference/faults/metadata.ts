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
    'That there is an entry of the key is enough.',
    'Rules about metadata compare wrongly: the key alone decides, and any value matches.',
    ({ key }, metadata) => Object.hasOwn(metadata, key),
  ),
  ruleFault(
    'metadata-by-value',
    'The value is looked for under any key.',
    'Rules about metadata compare wrongly: the value alone decides, under any key.',
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
    'Both kinds of metadata are poured into one object.',
    'The metadata of the order counts as metadata of the request, too.',
    (rule, metadata, orderMetadata) => holds(rule, metadata) || isListed(rule, orderMetadata),
  ),
  ruleFault(
    'unsent-metadata-key-holds',
    'The entries that were sent are looked at, each with its rule, and rules without an entry are not.',
    'A rule about metadata holds if the request has other metadata, and not its key.',
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
    'The one key of the example is built in.',
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
