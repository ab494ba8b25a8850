/** The lines of a declared scope: how they are added to the target file of a user. */

import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { addScopeEntries, scopeKey } from '../../src/record/declared-scope.js';

const window = 'limit.newest-150';
const entry = { requirement: window, reason: '' };

/** Target files, and whether they stay as they are up to the added lines. */
const files: Readonly<Record<string, readonly [text: string, isKept: boolean]>> = {
  'a plain file': ['name: shop\ndata: shop.json\n', true],
  'comments and blanks': ['# Mine.\nname:   shop   # the one\n\npacing: {requests_per_second: 5}\n', true],
  'no line end at the end': ['name: shop', true],
  'line ends of Windows': ['name: shop\r\ndata: shop.json\r\n', true],
  'a mark of the end': ['---\nname: shop\n...\n', false],
  'flow style': ['{ name: shop, data: shop.json }\n', false],
  JSON: ['{ "name": "shop" }', false],
};

for (const [name, [text, isKept]] of Object.entries(files))
  test(`Requirements are added to ${name}`, () => {
    const added = addScopeEntries(text, [window, 'order.sku-item']);
    const stated = parse(text);
    expect(parse(added)).toEqual({ ...stated, [scopeKey]: [entry, { requirement: 'order.sku-item', reason: '' }] });
    if (isKept) expect(added.startsWith(text.trimEnd())).toBe(true);
    expect(/(?<!\r)\n/.test(added)).toBe(!text.includes('\r\n'));
  });

for (const [name, list] of Object.entries({
  'a list': `${scopeKey}:\n  # Why.\n  - requirement: order.sku-item\n    reason: No SKUs. # none\n`,
  'a list in flow style': `${scopeKey}: [{ requirement: order.sku-item, reason: No SKUs. }]\n`,
  'an empty key': `${scopeKey}:\n`,
}))
  test(`Requirements are added to ${name}, and what is there stays`, () => {
    const text = `name: shop # mine\n${list}`;
    const before = parse(text)[scopeKey] ?? [];
    const added = addScopeEntries(text, [window]);
    expect(parse(added)[scopeKey]).toEqual([...before, entry]);
    for (const comment of text.match(/#.*/g) ?? []) expect(added).toContain(comment);
  });
