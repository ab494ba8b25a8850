import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import {
  isCutOffJson,
  isJsonContainer,
  isJsonObject,
  NumberText,
  parseJsonExactly,
  readNumber,
  stringifyExactly,
} from '../../src/support/json.js';

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

const oddNumbers = '9007199254740993 -9007199254740993 1.0 10.50 0.10 1e20 1E+2 -0 1e400 0.1234567890123456789'.split(
  ' ',
);

test('A number keeps its digits', () => {
  for (const number of oddNumbers) {
    const body = `{"id":${number},"list":[${number}, 1 ,"${number}"],"__proto__":{"x":${number}}}`;
    expect(parseJsonExactly(number), number).toEqual(new NumberText(number));
    expect(parseJsonExactly(body), number).toEqual(
      Object.defineProperty({ id: new NumberText(number), list: [new NumberText(number), 1, number] }, '__proto__', {
        value: { x: new NumberText(number) },
        enumerable: true,
      }),
    );
    expect(stringifyExactly(parseJsonExactly(body)), number).toBe(body.replaceAll(/ ?, ?1 ?,/g, ',1,'));
    expect(readNumber(number)).toEqual(new NumberText(number));
  }
});

test('What JavaScript writes alike is a plain number, and no text is a number', () => {
  for (const number of ['0', '-1', '17', '1.5', '9007199254740991', '1e+21'])
    expect([parseJsonExactly(number), readNumber(number)]).toEqual([Number(number), Number(number)]);
  expect(parseJsonExactly('["1.0","a 1.0, b"]')).toEqual(['1.0', 'a 1.0, b']);
  for (const text of ['', 'true', '"1"', '01', '1.', '.5', '+1', '0x1', '1 ']) expect(readNumber(text)).toBeUndefined();
  expect(parseJsonExactly('{"a":1.0')).toBeUndefined();
});

test('A number with digits of its own is neither an object nor a container', () => {
  const number = new NumberText('1.0');
  expect([isJsonObject(number), isJsonContainer(number), `${number}`]).toEqual([false, false, '1.0']);
});

test('Any JSON reads and writes as JavaScript does, apart from its numbers', () => {
  const property = fc.property(fc.json(), (text) => {
    expect(JSON.stringify(parseJsonExactly(text))).toBe(JSON.stringify(JSON.parse(text)));
    expect(JSON.parse(stringifyExactly(parseJsonExactly(text)) ?? '')).toEqual(JSON.parse(text));
  });
  fc.assert(property, { seed: 20_261_128 });
});

test('A body of many levels keeps the digits of its numbers', () => {
  const depth = 100_000;
  let value = parseJsonExactly(`${'['.repeat(depth)}1.0${']'.repeat(depth)}`);
  for (let level = 0; level < depth; level += 1) [value] = value as unknown[];
  expect(value).toEqual(new NumberText('1.0'));
});
