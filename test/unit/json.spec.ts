import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { isCutOffJson } from '../../src/support/json.js';

const containers = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()));

test('Each beginning of an object or array is JSON that is cut off, and the whole is not', () => {
  fc.assert(
    fc.property(containers, fc.nat(), fc.constantFrom(undefined, 2), (value, length, indent) => {
      const whole = JSON.stringify(value, null, indent);
      expect(isCutOffJson(whole)).toBe(false);
      expect(isCutOffJson(whole.slice(0, 1 + (length % (whole.length - 1))))).toBe(true);
    }),
  );
});

test('Other formats and JSON that is wrong are not cut off', () => {
  const others = [
    '',
    'text',
    '"text',
    '{"a":1}\n{"a":',
    '[1,2,]',
    "[{'id': 'a",
    '{a: 1',
    '[1] [',
    'cb([1',
    ")]}'\n[1",
    '<a',
    '[NaN',
  ];
  expect(others.filter(isCutOffJson)).toEqual([]);
});
