import type { Tier } from '../../src/world/world.js';
import { refuse } from '../early-response.js';
import type { DeploymentFacts, Handlers } from '../handlers.js';
import type { Members } from '../json.js';
import type { Line } from '../parsed-request.js';
import { type Fault, unlessWaived } from './fault.js';

/** Reads a text otherwise than it was written. */
type Misreading = (text: string) => string;

const firstOf =
  (length: number): Misreading =>
  (text) =>
    text.slice(0, length);
const asNumber: Misreading = (text) => (/^\d+$/.test(text) ? String(Number(text)) : text);
const asDate: Misreading = (text) => (Number.isNaN(Date.parse(text)) ? text : new Date(text).toISOString());
/** UTF-8, taken for the encoding of the early web. */
const inLatin1: Misreading = (text) => Buffer.from(text).toString('latin1');
const escapedForHtml: Misreading = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');
const withoutBackslashes: Misreading = (text) => text.replaceAll('\\', '');
const withoutQuotes: Misreading = (text) => text.replaceAll(/["']/g, '');
const plusAsSpace: Misreading = (text) => text.replaceAll('+', ' ');
const upTo =
  (sign: string): Misreading =>
  (text) =>
    text.split(sign)[0] ?? '';
const keptWordCharacters: Misreading = (text) => text.replaceAll(/\W/g, '_');

/** The metadata of a request, its keys or its values misread; what the rules ask for is as it is. */
function metadataMisread(id: string, story: string, key: Misreading, value: Misreading): Fault {
  return {
    id: `metadata-${id}`,
    breaks: 'metadata.promotion-rules',
    story,
    change: (handlers) => ({
      metadataOf: (members) =>
        Object.fromEntries(
          Object.entries(unlessWaived<Members>(handlers.metadataOf(members), {})).map(([name, text]) => [
            key(name),
            typeof text === 'string' ? value(text) : text,
          ]),
        ),
    }),
  };
}

/** Metadata of a request and of rules, both misread, so that what differs is taken for the same. */
function metadataConfused(id: string, story: string, misread: Misreading): Fault {
  return {
    id: `metadata-${id}`,
    breaks: 'metadata.promotion-rules',
    story,
    change: () => ({
      metadataRule: ({ key, is }, { metadata }) =>
        misread(String(unlessWaived(metadata, {})[key] ?? '')) === misread(is),
    }),
  };
}

const asItIs: Misreading = (text) => text;

const ofMetadata: readonly Fault[] = [
  metadataMisread('in-latin-1', 'The body is decoded as ISO 8859-1.', inLatin1, inLatin1),
  metadataMisread('escaped-for-html', 'What comes in is escaped for HTML against attacks.', asItIs, escapedForHtml),
  metadataMisread('without-backslashes', 'The text is unescaped twice.', asItIs, withoutBackslashes),
  metadataMisread('without-quotes', 'Quotes are stripped against injections.', asItIs, withoutQuotes),
  metadataMisread('keys-of-word-characters', 'Keys become names of columns.', keptWordCharacters, asItIs),
  metadataMisread('keys-as-paths', 'A key with a dot is read as a path.', upTo('.'), asItIs),
  metadataMisread('zeros-as-octal', 'A number that begins with a zero is read as octal.', asItIs, (text) =>
    /^0\d/.test(text) ? String(Number.parseInt(text, 8)) : text,
  ),
  {
    id: 'metadata-keys-refused',
    breaks: 'metadata.promotion-rules',
    story: 'The body’s schema allows words as keys.',
    change: (handlers) => ({
      metadataOf(members) {
        const metadata = handlers.metadataOf(members);
        if (Object.keys(unlessWaived<Members>(metadata, {})).some((key) => /\W/.test(key)))
          refuse(400, 'metadata: not accepted', 'invalid_payload');
        return metadata;
      },
    }),
  },
  metadataConfused('as-numbers', 'Texts that look like numbers are compared as numbers.', asNumber),
  metadataConfused('of-255-characters', 'A column keeps 255 characters of a text.', firstOf(255)),
  {
    id: 'metadata-by-ending',
    breaks: 'metadata.promotion-rules',
    story: 'A value that ends with the wanted one is enough.',
    change: () => ({
      metadataRule: ({ key, is }, { metadata }) => String(unlessWaived(metadata, {})[key] ?? '').endsWith(is),
    }),
  },
];

/** A filter whose key or value is misread. */
function filterMisread(id: string, story: string, key: Misreading, value: Misreading): Fault {
  return {
    id: `metadata-filter-${id}`,
    breaks: 'filter.tier-metadata',
    story,
    change: (handlers) => ({
      readFilter(parameter) {
        const filter = handlers.readFilter(parameter);
        return filter?.field === 'metadata' ? { ...filter, key: key(filter.key), value: value(filter.value) } : filter;
      },
    }),
  };
}

/** A filter by which different values are taken for the same. */
function filterConfused(id: string, story: string, hasMetadata: Handlers['hasMetadata']): Fault {
  return { id: `metadata-filter-${id}`, breaks: 'filter.tier-metadata', story, change: () => ({ hasMetadata }) };
}

const misreadAlike =
  (misread: Misreading): Handlers['hasMetadata'] =>
  ({ metadata }, key, value) =>
    Object.hasOwn(metadata, key) && misread(String(metadata[key])) === misread(value);

const ofFilters: readonly Fault[] = [
  filterMisread('plus-as-space', 'The value is decoded as a form would be, after it was decoded.', asItIs, plusAsSpace),
  filterMisread('cut-at-ampersand', 'The query is decoded before it is split.', asItIs, upTo('&')),
  filterMisread('cut-at-number-sign', 'What follows a # is taken for a fragment.', asItIs, upTo('#')),
  filterMisread('cut-at-equals', 'The decoded parameter is split at every =.', asItIs, upTo('=')),
  filterMisread('without-quotes', 'Quotes are stripped against injections.', asItIs, withoutQuotes),
  filterMisread('without-backslashes', 'The text is unescaped twice.', asItIs, withoutBackslashes),
  filterMisread('in-latin-1', 'The query is decoded as ISO 8859-1.', inLatin1, inLatin1),
  filterMisread('values-in-latin-1', 'The value is decoded as ISO 8859-1.', asItIs, inLatin1),
  filterMisread('keys-as-paths', 'A key with a dot is read as a path.', upTo('.'), asItIs),
  filterMisread('keys-up-to-colon', 'What follows a colon in a key is taken for an operator.', upTo(':'), asItIs),
  filterMisread('keys-undecoded', 'The names of parameters are not decoded.', encodeURI, asItIs),
  filterMisread('keys-of-word-characters', 'Keys become names of columns.', keptWordCharacters, asItIs),
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
  filterConfused('as-numbers', 'Texts that look like numbers are compared as numbers.', misreadAlike(asNumber)),
  filterConfused('as-dates', 'Texts that look like dates are compared as times.', misreadAlike(asDate)),
  filterConfused('of-255-characters', 'A column keeps 255 characters of a text.', misreadAlike(firstOf(255))),
  filterConfused(
    'by-ending',
    '$is is translated to LIKE "%value".',
    ({ metadata }, key, value) => Object.hasOwn(metadata, key) && String(metadata[key]).endsWith(value),
  ),
];

/** So many rules of a tier are looked at. */
function rulesUpTo(count: number): Fault {
  return {
    id: `first-${count}-rules-only`,
    breaks: 'result.valid-only',
    story: `The query for the rules of a tier has room for ${count}.`,
    change: (handlers) => ({
      isValid: ({ rules }, request) => rules.slice(0, count).every((rule) => handlers.holds(rule, request)),
    }),
  };
}

const ofRules: readonly Fault[] = [
  rulesUpTo(2),
  rulesUpTo(3),
  rulesUpTo(4),
  {
    id: 'one-rule-of-each-kind-suffices',
    breaks: 'result.valid-only',
    story: 'Of several rules of one kind, one has to hold.',
    change: (handlers) => ({
      isValid: ({ rules }, request) =>
        rules.every(({ kind }) => rules.some((rule) => rule.kind === kind && handlers.holds(rule, request))),
    }),
  },
];

/** How many rows a tier has once it is joined with the categories of its campaign. */
function rowsOf({ campaign_id }: Tier, { campaigns }: DeploymentFacts['catalogue']): number {
  return campaigns.get(campaign_id)?.category_ids.length ?? 0;
}

const ofCampaigns: readonly Fault[] = [
  {
    id: 'expand-loses-tiers-without-category',
    breaks: 'options.expand-category',
    story: 'Tiers are joined with categories, and one whose campaign has none disappears.',
    change: (handlers, { catalogue }) => ({
      select: (request) =>
        handlers.select(request).filter((tier) => request.expand.length === 0 || rowsOf(tier, catalogue) > 0),
    }),
  },
  {
    id: 'expand-limits-rows',
    breaks: 'options.expand-category',
    story: 'Tiers are joined with categories, and the limit counts the rows of the join.',
    change: (handlers, { catalogue }) => ({
      select(request) {
        const selected = handlers.select(request);
        if (request.expand.length === 0) return selected;
        let rows = 0;
        const checked = catalogue.tiers.filter((tier) => {
          rows += Math.max(1, rowsOf(tier, catalogue));
          return rows <= 150;
        });
        return selected.filter((tier) => checked.includes(tier));
      },
    }),
  },
  {
    id: 'tiers-without-category-left-out',
    breaks: 'result.all-valid',
    story: 'Tiers of campaigns that stand in no category are not looked for.',
    change: (handlers, { catalogue }) => ({
      select: (request) => handlers.select(request).filter((tier) => rowsOf(tier, catalogue) > 0),
    }),
  },
  {
    id: 'one-tier-per-name',
    breaks: 'result.all-valid',
    story: 'The tiers are put into a map by their name, of which one remains.',
    change: () => ({ page: (tiers) => [...new Map(tiers.map((tier) => [tier.name, tier])).values()] }),
  },
];

function hasSeveralSkus({ as, id }: Line, { skus }: DeploymentFacts['catalogue']): boolean {
  return as === 'product' && [...skus.values()].filter((owner) => owner === id).length > 1;
}

const ofProducts: readonly Fault[] = [
  {
    id: 'product-as-all-of-its-skus',
    breaks: 'order.product-item',
    story: 'An item with a product is taken for one of each of its SKUs.',
    change: (handlers, { catalogue }) => ({
      linesOf: (items) =>
        handlers.linesOf(items).flatMap((line) => {
          if (line.as === 'sku') return [line];
          const skus = [...catalogue.skus].flatMap(([id, product]) => (product === line.id ? [id] : []));
          return [line, ...skus.map((id) => ({ ...line, as: 'sku' as const, id }))];
        }),
    }),
  },
  {
    id: 'product-without-its-sku-refused',
    breaks: 'order.product-item',
    story: 'Of a product that has several SKUs, one has to be chosen.',
    change: (handlers, { catalogue }) => ({
      linesOf(items) {
        const lines = handlers.linesOf(items);
        if (lines.some((line) => hasSeveralSkus(line, catalogue)))
          refuse(400, 'order.items: choose a SKU', 'invalid_payload');
        return lines;
      },
    }),
  },
  {
    id: 'nothing-for-products-of-skus',
    breaks: 'order.product-item',
    story:
      'What is ordered is looked up among SKUs and products without any, and an order with something else is empty.',
    change: (handlers, { catalogue }) => ({
      select(request) {
        const isLost = request.lines.some((line) => hasSeveralSkus(line, catalogue));
        return isLost ? [] : handlers.select(request);
      },
    }),
  },
];

/** What data that nobody thought of is done to. */
export const awkwardDataFaults: readonly Fault[] = [
  ...ofMetadata,
  ...ofFilters,
  ...ofRules,
  ...ofCampaigns,
  ...ofProducts,
];
