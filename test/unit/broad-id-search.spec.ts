import { expect, test } from '@playwright/test';
import { createBroadIdSearch } from '../../src/recognition/broad-id-search.js';
import { checkEachRow } from '../support/check-each-row.js';

const ids = ['promo_KiHJjfny', '17', '100000000000000000000', 'Größe ½', 'tier-a', 'tier-a-b', 'Case', 'case', 'a&b'];
const find = (body: string) => ids.filter(createBroadIdSearch(ids)(body));

test('An id is found in any letter case, encoding and surrounding text, and is no part of another id or number', () => {
  const table: readonly (readonly [body: string, found: readonly string[]])[] = [
    ['{"href":"/tiers/promo_KiHJjfny"}', ['promo_KiHJjfny']],
    ['xPROMO_KIHJJFNYx', ['promo_KiHJjfny']],
    ['["promo%5FKiHJjfny"]', ['promo_KiHJjfny']],
    ['["promo%255FKiHJjfny"]', ['promo_KiHJjfny']],
    ['["\\u0070romo_KiHJjfny"]', ['promo_KiHJjfny']],
    ['<b>promo&#95;KiHJjfny &#x70;</b>', ['promo_KiHJjfny']],
    [Buffer.from('Tier:promo_KiHJjfny').toString('base64'), ['promo_KiHJjfny']],
    ['/t/Gr%C3%B6%C3%9Fe+%C2%BD', ['Größe ½']],
    ['Größe ½'.normalize('NFD'), ['Größe ½']],
    ['a&amp;b', ['a&b']],
    ['{"id":17.0}', ['17']],
    ['{"id":170,"at":"2017-01"}', []],
    ['{"id":1e20}', ['100000000000000000000']],
    ['/tier-a/x', ['tier-a']],
    ['/tier-a-b', ['tier-a-b']],
    ['/tier-a-best', ['tier-a', 'tier-a-b']],
    ['a case', ['case']],
    ['A CASE', ['Case', 'case']],
    ['[]', []],
  ];
  checkEachRow(table, (body, found) => expect(find(body), body).toEqual(found));
});
