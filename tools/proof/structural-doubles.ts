/**
 * Mistakes at places that answer every documented request like a fault of `reference/faults/`, which is the one that counts:
 * the fault, and the ids that the mistakes would have. A test measures that the list is complete.
 */
export const structuralDoubles: Readonly<Record<string, readonly string[]>> = {
  'body-dropped': ['body/dropped'],
  'first-listed-customer-only': [
    'reservations/first-1-only',
    'reservations/first-id-only',
    'reservations/distinct-by-kind',
    'reservations/distinct-by-value',
    'reservations/left-at-a-repetition-of-kind',
    'reservations/left-at-a-repetition-of-value',
  ],
  'first-item-only': ['items/first-1-only'],
  'last-item-only': ['items/last-only'],
  'last-item-lost': ['items/last-lost'],
  'sku-quantity-ignored': ['sku-threshold/present', 'sku-threshold/threshold-of-one'],
  'repeated-product-without-bounds': ['repeated-product/unbounded-when-repeated'],
  'different-quantities-uncounted': ['repeated-product/none-when-different'],
  'repeated-product-uncounted': [
    'repeated-product/none-when-repeated',
    'repeated-product/none-when-even',
    'repeated-product/difference',
  ],
  'metadata-unread': [
    'metadata-key/no-text',
    'metadata-value/no-text',
    'metadata-entries/lost',
    'requests-metadata/metadata-unread',
    'metadata-beside-customer/replaced',
    'metadata-beside-item/replaced',
    'metadata-beside-options/replaced',
    'metadata-beside-campaign-filter/replaced',
  ],
  'metadata-by-key': ['metadata-value/any-text', 'metadata-value/truth-compared'],
  'metadata-by-value': ['metadata-key/any-text'],
  'metadata-of-the-order': ['metadata-beside-order-metadata/replaced'],
  'campaign-filter-ignored': [
    'campaign-id/any-text',
    'campaign-id/same-length',
    'campaign-id/hash-of-the-first-letters',
  ],
  'metadata-filter-by-key': ['filter-value/any-text', 'filter-value/truth-compared'],
  'metadata-filter-by-first-entry': [
    'tier-metadata-entries/first-1-only',
    'tier-metadata-entries/first-id-only',
    'tier-metadata-entries/first-value-only',
  ],
  'window-of-100': ['window/of-100'],
  'window-of-149': ['window/of-149'],
  'window-of-151': ['window/of-151'],
  'window-missing': ['window/missing'],
  'window-of-the-oldest': ['window/of-the-oldest'],
  'first-rule-only': ['rules/first-1-only', 'rules/first-id-only'],
  'last-rule-only': ['rules/last-only'],
  'first-rule-of-each-kind': ['rules/distinct-by-kind'],
  'last-rule-of-each-kind': ['rules/latest-by-kind'],
};

const ids = new Set(Object.values(structuralDoubles).flat());

/** Whether a mistake at a place is a fault of `reference/faults/` already. */
export function isStructuralDouble(id: string): boolean {
  return ids.has(id);
}
