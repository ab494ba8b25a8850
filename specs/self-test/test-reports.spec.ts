/** The results in the formats that continuous integration reads: JUnit XML and CTRF. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { SaxesParser } from 'saxes';
import { createUnsentResult, type ResultWithExchanges } from '../../src/engine/case-result.js';
import { createCertificate } from '../../src/report/certificate.js';
import { writeResults } from '../../src/report/write-results.js';
import { loadValidator } from '../../src/support/schema-validation.js';
import { makeTestFolder } from './support/cli.js';
import { suite } from './support/in-process.js';
import { renderOutput } from './support/render-output.js';
import { runFacts } from './support/stubs.js';

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** Parses an XML text. */
function parseXml(text: string): Element {
  const top: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [top];
  const parser = new SaxesParser();
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes, children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (more) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += more;
  });
  parser.on('closetag', () => void open.pop());
  parser.write(text).close();
  return top.children[0] ?? top;
}

const exchange = {
  request: { method: 'GET', path: '/v1/promotions/validation', headers: [] },
  response: { status: 200, headers: [], body: '' },
};
const createResult = (
  id: string,
  verdict: ResultWithExchanges['verdict'],
  reason: string,
  more: Partial<ResultWithExchanges> = {},
) => {
  const testCase = suite.cases.find((each) => each.id === id);
  if (testCase === undefined) throw new Error(`There is no case '${id}'.`);
  return { ...createUnsentResult(testCase, verdict, reason), durationMs: 250, ...more };
};
const results = [
  createResult('json-content-type', 'pass', ''),
  createResult('integer-quantity', 'fail', "Not returned: 'mug-3' & more.", { exchange }),
  createResult('window-with-few-valid', 'error', 'A bug.'),
  createResult('expand-category', 'inconclusive', 'Answered 503.'),
  createResult('item-with-sku-id', 'not-applicable', 'The target does not have sku shirt-blue.'),
  createResult('quantity-zero', 'pass', '', {
    outcome: 'as-one',
    drift: [{ kind: 'shape', message: 'Another body.' }],
  }),
];
const certificate = createCertificate(suite, results, { ...runFacts, durationMs: 1_500 });
const root = parseXml(renderOutput('junit.xml', certificate, suite, results));
const tests = root.children.flatMap(({ children }) => children.filter(({ name }) => name === 'testcase'));

function findTest(id: string): Element {
  const found = tests.find(({ attributes }) => attributes.name?.startsWith(`${id}: `));
  if (found === undefined) throw new Error(`There is no test of '${id}'.`);
  return found;
}

const findEnding = (id: string) => findTest(id).children.find(({ name }) => name !== 'properties');

test('JUnit: drift is a failure, and what could not be judged is skipped with its reason', () => {
  expect(findEnding('json-content-type')).toBeUndefined();
  const failure = findEnding('integer-quantity');
  expect(failure).toMatchObject({
    name: 'failure',
    attributes: { type: 'fail', message: "Not returned: 'mug-3' & more." },
  });
  expect(failure?.text).toContain('https://a.test/v1/promotions/validation');
  expect(findEnding('window-with-few-valid')).toMatchObject({ name: 'error', attributes: { message: 'A bug.' } });
  expect(findEnding('expand-category')).toMatchObject({
    name: 'skipped',
    attributes: { message: 'inconclusive: Answered 503.' },
  });
  expect(findEnding('item-with-sku-id')?.attributes.message).toContain('not-applicable: ');
  expect(findEnding('quantity-zero')).toMatchObject({ name: 'failure', attributes: { type: 'drift' } });
});

test('JUnit: counts and times of all and of each group are those of the tests', () => {
  expect(root.attributes).toMatchObject({ tests: '6', failures: '2', errors: '1', skipped: '2', time: '1.500' });
  const sums = root.children.map(({ attributes: { name, tests, failures, errors, skipped, time } }) => [
    name,
    [tests, failures, errors, skipped, time].join(),
  ]);
  expect(sums).toEqual([
    ['requirements', '5,1,1,2,1.250'],
    ['questions', '1,1,0,0,0.250'],
  ]);
});

test('JUnit: a test has its file, its time and its place in the documentation', () => {
  const readProperties = (element: Element | undefined) =>
    Object.fromEntries(
      element?.children
        .find(({ name }) => name === 'properties')
        ?.children.map(({ attributes }) => [attributes.name, attributes.value]) ?? [],
    );
  expect(findTest('integer-quantity').attributes).toMatchObject({
    file: 'cases/requirements/order.yaml',
    time: '0.250',
  });
  expect(readProperties(findTest('integer-quantity'))).toEqual({
    requirement: 'order.quantity',
    part: suite.contract.requirements.find(({ id }) => id === 'order.quantity')?.part,
    at: expect.stringMatching(/^cases\/requirements\/order\.yaml:\d+:\d+$/),
  });
  expect(readProperties(findTest('quantity-zero'))).toMatchObject({ question: 'quantity-zero', outcome: 'as-one' });
  expect(readProperties(root.children[0])).toMatchObject({ target: 'shop', verdict: 'does-not-conform' });
});

test('CTRF: the report fits its schema and has the same statuses', () => {
  const report = JSON.parse(renderOutput('ctrf-report.json', certificate, suite, results));
  const validate = loadValidator('ctrf');
  expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
  expect(report.results.summary).toMatchObject({ tests: 6, passed: 1, failed: 3, skipped: 2, duration: 1_500 });
  const statuses = report.results.tests.map((each: Record<string, string>) => [each.status, each.rawStatus]);
  expect(statuses).toEqual([
    ['passed', 'pass'],
    ['failed', 'fail'],
    ['failed', 'error'],
    ['skipped', 'inconclusive'],
    ['skipped', 'not-applicable'],
    ['failed', 'drift'],
  ]);
  expect(report.results.tests[1]).toMatchObject({ duration: 250, filePath: 'cases/requirements/order.yaml' });
});

test('Every file is redacted when it is written, but words of the suite stay', () => {
  const out = makeTestFolder();
  const leaking = results.map((result) => ({ ...result, reason: 'The answer was a-secret-4711.' }));
  const secrets = ['a-secret-4711', 'inconclusive'].map((value) => ({ value, placeholder: '$CLIENT_TOKEN' }));
  const leaky = createCertificate(suite, leaking, { ...runFacts, notes: ['a-secret-4711'] });
  writeResults(leaky, suite, leaking, { out, secrets });
  const texts = readdirSync(out).map((name) => readFileSync(path.join(out, name), 'utf8'));
  expect(texts.length).toBeGreaterThan(5);
  expect(texts.filter((text) => text.includes('a-secret-4711'))).toEqual([]);
  expect(texts.filter((text) => text.includes('inconclusive')).length).toBeGreaterThan(2);
});
