/**
 * The causes that are right for a fault, by ids: those of all rows that match the fault. `$1` is what the pattern of the
 * row found. A cause may be limited to requests with a feature, which follows its id.
 */
const rows: readonly (readonly [faults: RegExp, causes: string])[] = [
  // Requests that are refused, and state between requests.
  [/^(get-not|json-|credentials-(not|crash))/, 'every-status'],
  [/refused|crash|decoded-twice|body-(must|of-one)|credentials-unread/, 'refused/\\d+'],
  [/^body-of-the-first|cached|the-cache/, 'cached-without|changing-results|kept-from-first'],
  [/kept|left-over|of-the-first-request|filter-cached/, 'kept-[a-z-]*|cached-without|changing-results'],
  // The window, and the result as a whole.
  [/^window|(window|newest)-lost|^(older|oldest)-|checked-tiers|^tiers-without|^result.*lost$|^expand-loses/, 'window'],
  [/window-(missing|lost)|window.*(missing|per-campaign)|oldest-too/, 'window-missing'],
  [/^window.*of-(\d+)$|checked-tiers.*first-(\d+)/, 'window-size/($1$2)'],
  [/^window.*of-\d+-days|^expand-limits/, 'window-size'],
  [/window.*of-the-oldest/, 'window-oldest/150'],
  [/window.*from-the-second|checked-tiers.first-lost|^result.without-the-newest/, 'window-ranks/2-150'],
  [/window.*by-(id|name|campaign)/, 'window-by-$1'],
  [/window-of-the-valid/, 'window-after-rules'],
  [/window-within-the-audience/, 'window-after-customer'],
  [/page-of-(\d+)|tiers.first-(\d+)/, 'page-size/($1$2)'],
  [/within-a-page/, 'page-before-filter/10'],
  [/without-the-newest|valid-tiers.first-lost/, 'first-promotion-lost'],
  [/without-the-oldest|valid-tiers.last-lost/, 'last-promotion-lost'],
  [/one-per-campaign|valid-tiers.*-by-kind/, 'one-per-campaign'],
  [/^nothing-|result.*nothing|tiers.lost$/, 'result-empty|nothing-returned'],
  [/promotions-listed/, 'everything-returned'],
  // Rules.
  [/rules-lost|in-place-of-rules|wholesale/, 'rules-ignored|item-rules-ignored'],
  [/one-rule-suffices/, 'rules-joined-by-or'],
  [/one-rule-of-each/, 'rules-of-a-kind-joined-by-or'],
  [/^(first)-rule-only|^rules.(first-1|last)-only/, '(first|last)-rule-only'],
  [/^rules.(first|last)-lost/, '$1-rule-lost'],
  [/^body|^query.*with-a-body/, 'body-unread'],
  [/customer|reservation/, 'customer-rules(-ignored|-unmet)?'],
  [/first-listed-customer|reservations.(first-1|first-after)/, 'first-customer-only'],
  [/reservations.(last-only|latest)/, 'last-customer-only'],
  [/product|item|quantit/, '(product|item)-rules(-ignored|-unmet)?'],
  [/sku|item|quantit/, '(sku|item)-rules(-ignored|-unmet)?'],
  [/metadata/, 'metadata-rules(-ignored|-unmet)?'],
  // Filters and texts.
  [/campaign|query|filters-lost|promotion.id/, '(promotion-id-)?filter(-ignored|-unmet)?'],
  [/metadata-filter|tier-metadata|^filter|query|filters-lost/, '(tier-metadata-)?filter(-ignored|-unmet)?'],
  [/filter-inverted/, '(promotion-id|tier-metadata)-filter-inverted'],
  [/^metadata-filter-by-(prefix|key)/, 'tier-metadata-filter-compared/$1'],
  [/keyless|unsent-metadata-key/, '(tier-metadata-filter|metadata-rules)-compared/missing-key'],
  [/^metadata-by-(part|key|value)/, 'metadata-rules-compared/$1'],
  [/^metadata-by-prefix/, 'metadata-rules-compared/prefix-of-sent'],
  [
    /(?:metadata-|filter-)(?:key|value).*(accents|letter-case|trimmed)/,
    '(tier-metadata-filter|metadata-rules)-compared/$1',
  ],
  [/trimmed|decimal-numbers/, '(tier-metadata-filter|metadata-rules)-compared/(trimmed|numbers)'],
  // Items and quantities.
  [/^(first|last)-item-only|^items.(first-1|last)-only/, '(last-item-only|first-items-only/1)'],
  [/items.first-(\d+)-only/, 'first-items-only/$1'],
  [/^items.(first|last)-lost|^(last)-item-lost/, '$1$2-item-lost'],
  [/quantity-ignored|quantities-lost|threshold.(present|threshold-of-one$)/, 'quantity-ignored'],
  [/threshold.*above|quantity-above/, 'quantity-above'],
  [/one-short/, 'quantity-one-short'],
  [/exactly/, 'quantity-equal'],
  [/as-text/, 'quantity-as-text'],
  [/threshold.below/, 'quantity-below'],
  [/as-one|capped-at-1$/, 'quantity-as-one'],
  [/capped-at-(\d+)|quantity-capped/, 'quantity-capped'],
  [/of-the-whole-order/, 'quantity-of-all-items'],
  [/product-id.any-text/, 'quantity-of-any-item'],
  [/repeated-product.(concatenated|multiplied)/, 'quantities-$1'],
  [/repeated.*(uncounted|cancelled|none-when)/, 'quantities-dropped'],
  [/repeated.*(without-bounds|unbounded)/, 'quantities-unbounded'],
];

/** Whether the first cause of a run is right for the fault of its deployment: the only thing that is wrong with it. */
export type CauseGrade = 'right' | 'absent' | 'wrong';

/** @param cause the id of the first cause of a run */
export function gradeCause(fault: string, cause = 'unknown'): CauseGrade {
  // That some requests are refused is what happens, and not why.
  if (cause === 'unknown' || /^refused\/\d+$/.test(cause)) return 'absent';
  const isRight = rows.some(([pattern, causes]) => {
    const found = pattern.exec(fault);
    if (found === null) return false;
    const ids = causes.replaceAll(/\$(\d)/g, (_, n) => found[Number(n)] ?? '');
    return new RegExp(`^(${ids})(/|$)`).test(cause);
  });
  return isRight ? 'right' : 'wrong';
}
