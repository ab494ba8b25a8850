import { conditions } from './branch.js';

/** Why no run shows a mistake at a place, for a class of both. */
export type Invisibility =
  | { readonly is: 'open'; readonly question: string }
  /** A documented request shows it, and the suite sends none, in order to send few. */
  | { readonly is: 'undetected'; readonly reason: string }
  | { readonly is: 'not-visible'; readonly reason: string };

interface Rule {
  readonly places: RegExp;
  readonly mistakes: RegExp;
  readonly invisibility: Invisibility;
}

const open = (places: RegExp, mistakes: RegExp, question: string): Rule => ({
  places,
  mistakes,
  invisibility: { is: 'open', question },
});
const hidden = (places: RegExp, mistakes: RegExp, reason: string): Rule => ({
  places,
  mistakes,
  invisibility: { is: 'not-visible', reason },
});
const costly = (places: RegExp, mistakes: RegExp, reason: string): Rule => ({
  places,
  mistakes,
  invisibility: { is: 'undetected', reason },
});

const any = /^/;

/** A request that meets an open condition: what it returns is open, except for the losses that still bind. */
function branchRules(): Rule[] {
  const ofRules = 'product-rules-lost|sku-rules-lost|metadata-rules-lost|quantities-lost|all-rules-lost|';
  return conditions.flatMap(({ id, question, axis }) => {
    if (question === undefined) return [];
    const places = new RegExp(`^requests-(?:.*-and-)?${id}(?:-and-.*)?$`);
    // Open filters leave invalid tiers invalid. What is reserved for another customer shows the loss of reservations.
    return [open(places, new RegExp(`^(?:${axis === 'filters' ? '' : ofRules}.*-unread|page-of-.*)$`), question)];
  });
}

/** The ids of the conditions that leave a part of a request open, as alternatives of a pattern. */
function openConditions(): string {
  return conditions.flatMap(({ id, question }) => (question === undefined ? [] : [id])).join('|');
}

/** The classes of generated faults that no run shows, each with its reason. */
const rules: readonly Rule[] = [
  // Texts.
  open(/^order-metadata-/, any, 'order-metadata-rules'),
  open(/^metadata-(?:key|value)$/, /^letter-case-folded-/, 'metadata-letter-case'),
  open(/^filter-(?:key|value)$/, /^letter-case-folded-/, 'filter-letter-case'),
  open(/^filter-value$/, /^empty-as-nothing-/, 'filter-empty-value'),
  hidden(
    /^metadata-value$/,
    /^empty-as-nothing-/,
    'No rule of the world asks for an empty value: an API may refuse one.',
  ),
  hidden(
    /^filter-key$/,
    /^(?:cut-at-bracket|brackets-as-index)-/,
    'The documentation describes no filter whose key has a bracket.',
  ),
  hidden(
    /^filter-key$/,
    /^(?:cut-at-newline-|line-end-stripped-|one-line-of-sent$)/,
    'The suite sends no line end in the name of a parameter: many parsers read one line.',
  ),
  hidden(/^metadata-key$/, /^proto-lost-in-request$/, 'No body has the key __proto__: common parsers refuse it.'),
  hidden(/-key$/, /^cut-at-nul-/, 'No key of the world has a NUL: several databases store none.'),
  costly(any, /^cut-at-nul-/, 'A deployment may refuse a NUL, so it takes a request of its own.'),
  // Numbers.
  open(/-quantity$/, /^(?:wraps-at-32-|single-precision$)/, 'quantity-huge'),
  open(/^repeated-sku$/, any, 'repeated-sku'),
  open(/^repeated-product$/, /^(?:maximum|minimum|first|last|average|distinct-added)$/, 'repeated-product-quantities'),
  // Lists.
  open(/^(?:valid|checked)-tiers$/, /^(?:sorted|reversed)$/, 'result-order'),
  hidden(any, /^(?:sorted|reversed)$/, 'The order of this list has no meaning.'),
  open(/^items$/, /^(?:distinct|latest)-by-id$/, 'repeated-product-quantities'),
  open(/^items$/, /^first-(?:100|128)-only$/, 'large-order'),
  open(/^metadata-entries$/, /-(?:by|of)-id$/, 'metadata-letter-case'),
  open(/^tier-metadata-entries$/, /-(?:by|of)-id$/, 'filter-letter-case'),
  open(
    /^query-parameters$/,
    /^first-(?:[2-9]|\d\d+)-only$|^last-two-only$|^last-batch-of-\d+-lost$|-(?:by|of)-(?:id|kind)$|^first-after-sorting$/,
    'filter-two-metadata-keys',
  ),
  hidden(/^reservations$/, /-id$|^first-(?:kind|value)-only$/, 'A reservation names each customer once.'),
  hidden(
    /^reservations$/,
    /^(?:first-(?:[4589]|\d\d+)-only|last-batch-of-\d+-lost)$/,
    'A reservation of the world names four customers at most.',
  ),
  hidden(
    /^(?:rules|tier-metadata-entries)$/,
    /^(?:first-(?:50|64|100|128)-only|last-batch-of-50-lost)$/,
    'A promotion of the world has fewer than 40 rules, and fewer than 40 metadata entries.',
  ),
  hidden(/^metadata-entries$/, /^first-(?:100|128)-only$/, 'The suite sends fewer than 100 metadata entries.'),
  // Windows and pages.
  costly(
    /^result-with-campaign-filter$/,
    /^page-of-64$/,
    'An order of everything and a campaign take one more request.',
  ),
  hidden(
    /^result-with-campaign-filter$/,
    /^(?:page-of-(?:75|1\d\d)|last-page)$/,
    'A campaign of the world has fewer than 75 valid tiers among the newest 150.',
  ),
  hidden(
    /^result-with-metadata-filter$/,
    /^page-of-1[24]0$/,
    'An entry of the world has fewer than 120 valid tiers among the newest 150.',
  ),
  costly(/^result-with-expand$/, /^page-of-1[24]0$/, 'A long order with expand takes one more request.'),
  open(/^window-with-/, /^(?:missing|per-campaign)$/, 'filter-beyond-window'),
  hidden(
    /^result-with-metadata-filter$/,
    /^without-metadata-lost$/,
    'A tier that a metadata filter lets through has metadata.',
  ),
  // Branches.
  open(/^requests-.*both-filters/, /^window-lost$/, 'filter-combination'),
  open(/^requests-(?:.*-and-)?(?:no-customer|empty-object)/, /^reservations-lost$/, 'omitted-customer'),
  hidden(
    /^requests-(?:.*-and-)?(?:no-filter|empty-object)/,
    /^filters-lost$/,
    'Without a filter there is none to lose.',
  ),
  costly(
    new RegExp(`^requests-(?=.*(?:${openConditions()}))(?=.*-and-)(?!.*no-filter)`),
    /^window-lost$/,
    'Another member beside an open part, without a filter, takes one more request for each pair.',
  ),
  ...branchRules(),
  hidden(/^requests-of-customer-1$/, /^customer-unread$/, 'No promotion is reserved for customer ordinary.'),
  // State.
  open(/^kept-customer$/, /^kept-(?:when-empty|for-the-same-customer)$/, 'omitted-customer'),
  open(/^kept-(?:items|quantities|product-ids|sku-ids)$/, /^kept-(?:when-empty|for-the-same-customer)$/, 'empty-items'),
  hidden(
    /^kept-(?:metadata|filter)-values?$/,
    /^kept-(?:when-empty|for-the-same-customer)$/,
    'Without an entry there is no value to replace.',
  ),
  open(/^kept-order-metadata$/, any, 'order-metadata-rules'),
  open(/^cached-.*-by-order-metadata-/, any, 'order-metadata-rules'),
  hidden(
    /^cached-.*-by-expand$/,
    any,
    'The documentation does not say that expand changes which promotions are returned.',
  ),
  costly(
    /^cached-.*-by-(?:metadata-keys|filter-keys|filter-values)$/,
    /^without-letters-beyond-ascii$/,
    'Two requests that differ in such a letter alone take one more request for each part.',
  ),
  costly(
    /^cached-last-result-by-quantities$/,
    /^capped-at-1000$/,
    'Another request stands between the two that differ in such a quantity alone.',
  ),
  hidden(
    /^cached-/,
    /^cut-after-255$/,
    'No text of the world has more than 255 characters, so that every database can store it.',
  ),
  // Bytes.
  open(/^body$/, /^above-(?:32|64)-kb-/, 'large-order'),
  hidden(
    /^query$/,
    /-(1024|2048)-characters/,
    'The suite sends no query of more than 1,024 characters: no text of the world is that long.',
  ),
  hidden(
    /^query$/,
    /^split-at-every-equals-sign$/,
    'The suite percent-encodes an equals sign in a value, as clients do.',
  ),
  costly(/^query$/, /^cut-at-an-encoded-nul$/, 'A deployment may refuse a NUL, so it takes a request of its own.'),
  hidden(/^body$/, /^byte-order-mark-unread$/, 'JSON begins with no byte order mark (RFC 8259, section 8.1).'),
  hidden(/^body$/, /^shallow-alone$/, 'No documented body is nested deeper.'),
];

/** Why no run shows a mistake at a place; `undefined` when it must. */
export function findInvisibility(place: string, mistake: string): Invisibility | undefined {
  return rules.find(({ places, mistakes }) => places.test(place) && mistakes.test(mistake))?.invisibility;
}
