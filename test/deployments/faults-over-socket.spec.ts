/** Each fault that `serve --fault` offers acts over a socket, and does what its story says. */

import { expect, test } from '@playwright/test';
import { serveReference } from '../../reference/deployment/server.js';
import { faults } from '../../reference/faults/index.js';
import { openClient } from '../../src/http/client.js';
import { selectFromSuite } from '../../src/suite/case-selection.js';
import { inProcessCredentials } from '../../tools/proof/judge-deployment.js';
import { type Asked, createFilterQuery, startAsking } from '../support/ask-over-socket.js';
import { certifyOver, listRequirementsWith, proxyLikeFaults, suite } from '../support/in-process.js';

const mug = (quantity = 1) => ({ product_id: 'mug', quantity });
const plate = (quantity = 1) => ({ product_id: 'plate', quantity });
const shirt = (quantity = 1) => ({ product_id: 'shirt', quantity });
const blue = (quantity = 1) => ({ sku_id: 'shirt-blue', quantity });

const withItems = (...items: readonly object[]): Asked => ({ items });
const withCustomer = (customer: string, asked: Asked = {}): Asked => ({ ...asked, customer });
const withMetadata = (metadata: object): Asked => ({ metadata });
const withOrderMetadata = (orderMetadata: object): Asked => ({ orderMetadata });
const withFilter = (name: string, value: string, asked: Asked = {}): Asked => ({
  ...asked,
  query: createFilterQuery(name, value),
});
const annWithAMug: Asked = {};
const expanding: Asked = { expand: ['category'] };
const audienceOnly: Asked = { query: 'audienceRulesOnly=true' };
const withCharset = 'application/json; charset=utf-8';

/** More than ten promotions are valid for it. */
const large = withItems(mug(3), plate(), blue(3), { sku_id: 'shirt-red', quantity: 1 });

/**
 * What a request shows: `same` as without the fault; a status; or promotions that are returned in addition (`+`) and that
 * are missing (`-`).
 */
type Shown = 'same' | number | string;

/** Requests in the order in which they are sent, and what each of them shows. */
type Story = readonly (readonly [asked: Asked, shown: Shown])[];

const filterStories = (
  name: 'campaign' | 'metadata',
  match: Asked,
  another: Asked,
  { returned, others }: { returned: string; others: string },
): Record<string, Story> => {
  const otherKind = name === 'campaign' ? withFilter('level', 'gold') : withFilter('campaign', 'spring');
  const withoutMatch = name === 'campaign' ? withFilter('campaign', 'winter') : withFilter('metadata.age', 'older');
  const sending = (asked: Asked): Asked => ({ ...asked, items: large.items });
  return {
    [`${name}-filter-ignored`]: [
      [match, `+${others}`],
      [otherKind, 'same'],
    ],
    [`${name}-filter-refused`]: [
      [match, 400],
      [otherKind, 'same'],
    ],
    [`${name}-filter-void-when-nothing-matches`]: [
      [withoutMatch, '+everyone'],
      [withFilter('campaign', 'antique'), name === 'campaign' ? '+everyone' : 'same'],
      [match, 'same'],
    ],
    [`${name}-filter-within-a-page`]: [
      [sending(match), `-${returned}`],
      [match, 'same'],
    ],
    [`${name}-filter-inverted`]: [
      [match, `-${returned} +${others}`],
      [annWithAMug, 'same'],
    ],
    [`${name}-filter-cached`]: [
      [match, 'same'],
      [another, `+${returned}`],
      [annWithAMug, 'same'],
    ],
    [`${name}-filter-left-over`]: [
      [match, 'same'],
      [annWithAMug, `-${others}`],
      [match, 'same'],
      [withItems(plate()), 'same'],
    ],
  };
};

const stories: Readonly<Record<string, Story>> = {
  'body-dropped': [[annWithAMug, '-mug-1 -ann-or-bob']],
  'get-not-allowed': [
    [annWithAMug, 405],
    [{ method: 'POST' }, 200],
  ],
  'body-of-the-first-request': [
    [annWithAMug, 'same'],
    [withCustomer('bob'), '-bob-only +ann-with-a-mug'],
    [withFilter('campaign', 'spring', withCustomer('bob')), 'same'],
  ],
  'json-unsupported': [
    [annWithAMug, 415],
    [{ headers: { 'Content-Type': 'application/vnd.shop+json' } }, 'same'],
  ],
  'json-without-charset-refused': [
    [annWithAMug, 400],
    [{ headers: { 'Content-Type': withCharset } }, 'same'],
  ],
  'credentials-not-found': [
    [annWithAMug, 404],
    [{ headers: { 'X-Client-Application-Id': 'reference-token', 'X-Client-Token': 'reference-application' } }, 200],
  ],
  'credentials-crash': [
    [annWithAMug, 500],
    [{ headers: { 'X-Client-Token': undefined } }, 'same'],
  ],
  'expand-refused': [
    [expanding, 400],
    [annWithAMug, 'same'],
  ],
  'expand-crashes': [
    [expanding, 500],
    [annWithAMug, 'same'],
  ],
  'audience-rules-only-refused': [
    [audienceOnly, 400],
    [annWithAMug, 'same'],
  ],
  'audience-rules-only-crashes': [
    [audienceOnly, 500],
    [annWithAMug, 'same'],
  ],

  'customer-ignored': [[annWithAMug, '+bob-only']],
  'customer-unread': [
    [annWithAMug, '-ann-or-bob -ann-with-a-mug'],
    [withCustomer('eve'), 'same'],
  ],
  'first-listed-customer-only': [
    [withCustomer('bob'), '-ann-or-bob'],
    [annWithAMug, 'same'],
  ],
  'one-reservation-for-all': [
    [annWithAMug, '+bob-only'],
    [withCustomer('eve'), 'same'],
  ],
  'unlisted-customer-unchecked': [
    [withCustomer('eve'), '+ann-or-bob +bob-only'],
    [annWithAMug, 'same'],
  ],
  'unlisted-customer-refused': [
    [withCustomer('eve'), 404],
    [annWithAMug, 'same'],
    [{ body: { customer: undefined } }, 'same'],
  ],
  'customer-of-the-first-request': [
    [annWithAMug, 'same'],
    [withCustomer('bob'), '-bob-only +ann-with-a-mug'],
  ],
  'customers-of-the-first-page-only': [
    [withCustomer('dan'), '-rank-30'],
    [annWithAMug, 'same'],
  ],

  'product-items-unread': [
    [annWithAMug, '-mug-1'],
    [withItems(blue()), 'same'],
  ],
  'first-item-only': [
    [withItems(mug(), plate()), '-plate-1'],
    [withItems({ ...plate(), sku_id: 'shirt-blue' }), 'same'],
  ],
  'last-item-only': [
    [withItems(mug(), plate()), '-mug-1'],
    [withItems({ ...plate(), sku_id: 'shirt-blue' }), 'same'],
  ],
  'last-item-lost': [
    [withItems(mug(), plate()), '-plate-1'],
    [withItems({ ...plate(), sku_id: 'shirt-blue' }), '-plate-1 -blue-1'],
  ],
  'product-items-refused': [
    [annWithAMug, 400],
    [withItems(blue()), 'same'],
    [withItems({ ...mug(), sku_id: 'shirt-blue' }), 'same'],
  ],
  'no-product-no-product-rules': [
    [withItems(blue()), '+mug-1 +mug-10'],
    [withItems(mug(), blue()), 'same'],
  ],
  'absent-product-beside-a-sku': [
    [withItems(mug(), blue()), '+plate-1'],
    [withItems(blue()), '+mug-1 +mug-10 +plate-1'],
    [annWithAMug, 'same'],
  ],
  'cached-under-the-customer': [
    [annWithAMug, 'same'],
    [withItems(plate()), '+mug-1 -plate-1'],
    [withCustomer('bob', withItems(plate())), 'same'],
  ],
  'cart-kept': [
    [annWithAMug, 'same'],
    [withItems(plate()), '+mug-1 +mug-and-plate'],
    [withCustomer('bob', withItems(plate())), 'same'],
  ],
  'sku-items-unread': [
    [withItems(blue()), '-blue-1'],
    [annWithAMug, 'same'],
  ],
  'sku-replaced-by-its-product': [
    [withItems(blue()), '+red-1'],
    [annWithAMug, 'same'],
    [{ ...audienceOnly, items: [] }, 'same'],
  ],
  'sku-items-refused': [
    [withItems(blue()), 400],
    [annWithAMug, 'same'],
    [withItems({ ...mug(), sku_id: 'shirt-blue' }), 'same'],
  ],
  'no-sku-no-sku-rules': [
    [annWithAMug, '+blue-1'],
    [withItems(mug(), blue()), 'same'],
  ],
  'absent-sku-beside-a-product': [
    [annWithAMug, '+blue-1 +blue-3 +red-1'],
    [withItems(mug(), blue()), '+red-1'],
    [withItems(blue()), 'same'],
  ],
  'quantity-ignored': [
    [annWithAMug, '+mug-10'],
    [withItems(plate()), 'same'],
    [withItems(blue()), '+blue-3'],
  ],
  'quantity-above-threshold': [
    [withItems(mug(3)), '-mug-3'],
    [withItems(blue(3)), '-blue-3'],
  ],
  'quantity-one-short': [
    [withItems(mug(2)), '+mug-3'],
    [withItems(blue(2)), '+blue-3'],
  ],
  'quantity-exactly': [
    [withItems(mug(2)), '-mug-1'],
    [annWithAMug, 'same'],
  ],
  'quantity-as-one': [
    [withItems(mug(3)), '-mug-3'],
    [annWithAMug, 'same'],
  ],
  'quantity-of-the-last-item': [
    [withItems(mug(), plate(3)), '+mug-3'],
    [withItems(mug(3), plate()), '-mug-3'],
  ],
  'quantity-of-the-first-item': [
    [withItems(plate(3), mug()), '+mug-3'],
    [withItems(plate(), mug(3)), '-mug-3'],
  ],
  'quantity-of-the-whole-order': [
    [withItems(mug(), plate(2)), '+mug-3'],
    [withItems(plate(3)), 'same'],
    [withItems(mug(), blue(2)), 'same'],
  ],
  'quantity-above-ten-refused': [
    [withItems(mug(11)), 400],
    [withItems(mug(10)), 'same'],
  ],
  'sku-quantity-as-one': [
    [withItems(blue(3)), '-blue-3'],
    [withItems(mug(3)), 'same'],
  ],
  'sku-quantity-ignored': [
    [withItems(blue()), '+blue-3'],
    [annWithAMug, 'same'],
    [{ ...audienceOnly, items: [] }, 'same'],
  ],
  'repeated-product-without-bounds': [
    [withItems(mug(), mug()), '+mug-10'],
    [annWithAMug, 'same'],
  ],
  'repeated-product-refused': [
    [withItems(mug(), mug()), 400],
    [withItems(mug(), plate()), 'same'],
    [withItems(blue(), blue()), 'same'],
  ],
  'different-quantities-refused': [
    [withItems(mug(), mug(2)), 400],
    [withItems(mug(), mug()), 'same'],
    [withItems(blue(), blue(2)), 'same'],
  ],
  'different-quantities-uncounted': [
    [withItems(mug(), mug(2)), '-mug-1 -mug-3'],
    [withItems(mug(), mug()), 'same'],
  ],
  'repeated-product-uncounted': [
    [withItems(mug(), mug()), '-mug-1'],
    [annWithAMug, 'same'],
  ],
  'order-metadata-refused': [
    [withOrderMetadata({ payment: ['card'] }), 400],
    [withOrderMetadata({ payment: 'card' }), 'same'],
    [annWithAMug, 'same'],
  ],
  'order-metadata-crashes': [
    [withOrderMetadata({ payment: ['card'] }), 500],
    [withOrderMetadata({ payment: 'card' }), 'same'],
    [annWithAMug, 'same'],
  ],
  'empty-order-metadata-crashes': [
    [withOrderMetadata({ payment: [] }), 500],
    [withOrderMetadata({ payment: ['card'] }), 'same'],
  ],
  'order-metadata-demanded-of-tiers': [
    [withOrderMetadata({ payment: ['card'] }), '-everyone'],
    [annWithAMug, 'same'],
  ],

  'metadata-rules-ignored': [[annWithAMug, '+broadway +color-red']],
  'metadata-unread': [
    [withMetadata({ store_name: 'Broadway' }), '-broadway'],
    [annWithAMug, 'same'],
    [audienceOnly, 'same'],
  ],
  'metadata-by-key': [
    [withMetadata({ store_name: 'Elm Street' }), '+broadway'],
    [withMetadata({ city: 'Broadway' }), 'same'],
    [audienceOnly, 'same'],
  ],
  'metadata-by-value': [
    [withMetadata({ city: 'Broadway' }), '+broadway'],
    [withMetadata({ store_name: 'Elm Street' }), 'same'],
  ],
  'metadata-of-the-order': [
    [withOrderMetadata({ store_name: ['Broadway'] }), '+broadway'],
    [withMetadata({ store_name: 'Broadway' }), '-broadway'],
    [audienceOnly, 'same'],
  ],
  'metadata-of-the-order-too': [
    [withOrderMetadata({ store_name: ['Broadway'] }), '+broadway'],
    [withMetadata({ store_name: 'Broadway' }), 'same'],
  ],
  'unsent-metadata-key-holds': [
    [withMetadata({ city: 'Rome' }), '+broadway +color-red'],
    [withMetadata({ store_name: 'Elm Street', color: 'blue' }), 'same'],
    [annWithAMug, 'same'],
  ],
  'no-metadata-no-metadata-rules': [
    [annWithAMug, '+broadway +color-red'],
    [withMetadata({ city: 'Rome' }), 'same'],
  ],
  'metadata-store-name-only': [
    [withMetadata({ color: 'red' }), '-color-red'],
    [withMetadata({ store_name: 'Broadway' }), 'same'],
  ],
  'metadata-refused': [
    [withMetadata({ city: 'Rome' }), 400],
    [annWithAMug, 'same'],
  ],

  ...filterStories('campaign', withFilter('campaign', 'summer'), withFilter('campaign', 'winter'), {
    returned: 'uncategorized',
    others: 'everyone',
  }),
  ...filterStories('metadata', withFilter('level', 'silver'), withFilter('metadata.age', 'older'), {
    returned: 'silver',
    others: 'everyone',
  }),
  'metadata-filter-by-key': [
    [withFilter('level', 'silver'), '+everyone +uncategorized'],
    [withFilter('metadata.channel', 'web'), 'same'],
  ],
  'metadata-filter-by-first-entry': [
    [withFilter('metadata.channel', 'web'), '-everyone'],
    [withFilter('level', 'gold'), 'same'],
  ],
  'metadata-filter-lets-keyless-through': [
    [withFilter('level', 'silver'), '+without-metadata'],
    [withFilter('campaign', 'spring'), 'same'],
  ],

  'window-of-149': [[annWithAMug, '-rank-150']],
  'window-of-151': [[annWithAMug, '+rank-151']],
  'window-of-100': [[annWithAMug, '-rank-148 -rank-150']],
  'window-missing': [[annWithAMug, '+rank-151 +rank-200']],
  'window-of-the-oldest': [[annWithAMug, '-everyone +rank-200']],
  'window-of-the-valid': [
    [annWithAMug, '+rank-151 +rank-200'],
    [withItems(), '+rank-151'],
  ],
  'window-within-the-audience': [
    [annWithAMug, '+rank-151 +rank-200'],
    [withCustomer('dan'), '+rank-151'],
  ],

  'ends-at-first-invalid': [[annWithAMug, '-mug-1 -rank-150']],
  'nothing-without-a-reservation': [
    [withCustomer('eve'), '-everyone'],
    [annWithAMug, 'same'],
  ],
  'reservations-displace-the-rest': [
    [annWithAMug, '-everyone'],
    [withCustomer('eve'), 'same'],
  ],
  'older-matches-unchecked': [
    [withFilter('campaign', 'spring'), '+rank-160 +rank-151'],
    [annWithAMug, 'same'],
  ],
  'one-rule-suffices': [
    [annWithAMug, '+mug-and-plate'],
    [withCustomer('eve', withItems()), 'same'],
  ],
  'first-rule-only': [
    [annWithAMug, '+mug-and-plate'],
    [withItems(plate()), '+ann-with-a-mug'],
  ],
  'last-rule-only': [
    [withItems(plate()), '+mug-and-plate'],
    [annWithAMug, 'same'],
  ],
  'first-rule-of-each-kind': [
    [annWithAMug, '+mug-and-plate'],
    [withCustomer('bob', withItems(plate())), 'same'],
  ],
  'last-rule-of-each-kind': [
    [withItems(plate()), '+mug-and-plate'],
    [annWithAMug, 'same'],
  ],
  'one-rule-of-each-kind-suffices': [
    [annWithAMug, '+mug-and-plate'],
    [withCustomer('bob', withItems(blue())), 'same'],
  ],
  'product-rules-waived-with-a-sku': [
    [withItems(blue()), '+mug-1'],
    [annWithAMug, 'same'],
  ],
  'filter-in-place-of-rules': [
    [withFilter('campaign', 'spring'), '+bob-only +mug-10'],
    [annWithAMug, 'same'],
  ],
  'promotions-listed': [[annWithAMug, '+bob-only +mug-10 +rank-200']],

  'expand-keeps-one-tier-per-category': [
    [expanding, '-mug-1'],
    [annWithAMug, 'same'],
  ],
  'expand-loses-tiers-without-category': [
    [expanding, '-uncategorized'],
    [annWithAMug, 'same'],
  ],
  'expand-limits-rows': [
    [expanding, '-rank-150'],
    [annWithAMug, 'same'],
  ],
  'tiers-without-category-left-out': [[annWithAMug, '-uncategorized']],

  'product-as-all-of-its-skus': [
    [withItems(shirt()), '+blue-1 +red-1'],
    [annWithAMug, 'same'],
    [withItems(blue()), 'same'],
  ],
  'product-without-its-sku-refused': [
    [withItems(shirt()), 400],
    [withItems({ product_id: 'cup', quantity: 1 }), 'same'],
  ],
  'nothing-for-products-of-skus': [
    [withItems(shirt()), '-everyone'],
    [withItems({ product_id: 'cup', quantity: 1 }), 'same'],
  ],

  'window-of-the-first-request': [
    [withFilter('campaign', 'summer'), 'same'],
    [annWithAMug, '-everyone'],
    [withFilter('campaign', 'spring'), 'same'],
  ],
  'metadata-left-over': [
    [withMetadata({ store_name: 'Broadway' }), 'same'],
    [annWithAMug, '+broadway'],
  ],
  'customer-left-over': [
    [annWithAMug, 'same'],
    [withCustomer('bob'), '-bob-only +ann-with-a-mug'],
    [annWithAMug, '+bob-only'],
  ],
  'items-left-over': [
    [annWithAMug, 'same'],
    [withItems(plate()), '+mug-1'],
    [withItems(plate()), 'same'],
  ],
};

test('Each fault has a story', () => {
  expect(Object.keys(stories).sort()).toEqual(faults.map(({ id }) => id).sort());
  const shownByNothing = Object.entries(stories).filter(([, story]) => story.every(([, shown]) => shown === 'same'));
  expect(shownByNothing).toEqual([]);
});

for (const fault of faults)
  test(`${fault.id}: ${fault.story}`, async () => {
    const [documented, faulty] = [await startAsking(), await startAsking({ faults: [fault] })];
    for (const [n, [asked, shown]] of (stories[fault.id] ?? []).entries()) {
      const [right, wrong] = [await documented.ask(asked), await faulty.ask(asked)];
      const what = `request ${n + 1}`;
      const differences = [
        ...wrong.returned.filter((id) => !right.returned.includes(id)).map((id) => `+${id}`),
        ...right.returned.filter((id) => !wrong.returned.includes(id)).map((id) => `-${id}`),
      ];
      if (shown === 'same') expect([wrong.status, differences], what).toEqual([right.status, []]);
      else if (typeof shown === 'number') expect([wrong.status, right.status === shown], what).toEqual([shown, false]);
      else expect([wrong.status, differences], what).toEqual([200, expect.arrayContaining(shown.split(' '))]);
    }
    await Promise.all([documented.close(), faulty.close()]);
  });

for (const fault of faults)
  test(`The suite finds ${fault.id} over a socket`, { tag: '@long' }, async () => {
    const { world } = suite;
    const { url, close } = await serveReference({ world, credentials: inProcessCredentials, faults: [fault] });
    // The machine may be busy.
    const client = openClient({ baseUrl: url, limits: { timeout_ms: 120_000 } });
    const only = suite.cases.flatMap((testCase) =>
      testCase.kind === 'requirement' && testCase.verifies === fault.breaks ? testCase.id : [],
    );
    const asked = selectFromSuite(suite, { only });
    const { certificate } = await certifyOver(client, asked, { isWorldLoaded: true });
    const verdict = proxyLikeFaults.includes(fault.id) ? 'inconclusive' : 'fail';
    expect(listRequirementsWith(verdict, certificate)).toContain(fault.breaks);
    expect(certificate.verdict).not.toBe('conforms');
    await client.close();
    await close();
  });
