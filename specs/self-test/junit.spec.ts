/** The results as continuous integration reads them. */

import { expect, test } from '@playwright/test';
import { SaxesParser } from 'saxes';
import { createUnsentResult, type ShownResult } from '../../src/engine/case-result.js';
import { createCertificate } from '../../src/report/certificate.js';
import { createResponseRenderer } from '../../src/report/exchange-text.js';
import { createFailureSections, renderFailure } from '../../src/report/failure-text.js';
import { escapeMarkup, renderPreformatted } from '../../src/report/markup.js';
import { certifyInProcess, suite } from './support/in-process.js';
import { createIndependentDeployment } from './support/independent-deployment.js';
import { renderOutput } from './support/render-output.js';

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** The root of an XML text. */
function parsed(text: string): Element {
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

const evidence = {
  request: { method: 'GET', path: '/v1/promotions/validation', headers: [] },
  response: { status: 200, headers: [], body: '' },
};
const ended = (id: string, verdict: ShownResult['verdict'], reason: string, more: Partial<ShownResult> = {}) => {
  const testCase = suite.cases.find((each) => each.id === id);
  if (testCase === undefined) throw new Error(`There is no case ${id}.`);
  return { ...createUnsentResult(testCase, verdict, reason), ...more };
};
const results = [
  ended('json-content-type', 'pass', ''),
  ended('integer-quantity', 'fail', "Not returned: 'mug-3' & more.", { exchange: evidence }),
  ended('window-with-few-valid', 'error', 'A bug.'),
  ended('expand-category', 'inconclusive', 'Answered 503.'),
  ended('item-with-sku-id', 'not-applicable', 'The target does not have sku shirt-blue.'),
  ended('quantity-zero', 'pass', '', { outcome: 'as-one', drift: [{ kind: 'shape', message: 'Another body.' }] }),
];
const certificate = createCertificate(suite, results, {
  target: { name: 'shop', base_url: 'https://a.test' },
  requestsSent: 5,
  isCutShort: false,
  notes: [],
  startedAt: new Date(0),
  durationMs: 1_500,
});
const root = parsed(renderOutput('junit.xml', certificate, suite, results));
const tests = root.children.flatMap(({ children }) => children.filter(({ name }) => name === 'testcase'));

function testOf(id: string): Element {
  const found = tests.find(({ attributes }) => attributes.name?.startsWith(`${id}: `));
  if (found === undefined) throw new Error(`There is no test of ${id}.`);
  return found;
}

/** What is said of how a case ended. */
const ending = (id: string) => testOf(id).children.find(({ name }) => name !== 'properties');

test('failures and drift are failures, mistakes errors, and what was not judged is skipped, with the reason', () => {
  expect(ending('json-content-type')).toBeUndefined();
  const failure = ending('integer-quantity');
  expect(failure).toMatchObject({ name: 'failure', attributes: { type: 'fail' } });
  expect(failure?.attributes.message).toBe("Not returned: 'mug-3' & more.");
  expect(failure?.text).toContain("'https://a.test/v1/promotions/validation'");
  expect(ending('window-with-few-valid')).toMatchObject({ name: 'error', attributes: { message: 'A bug.' } });
  const skipped = [ending('expand-category'), ending('item-with-sku-id')].map((each) => [
    each?.name,
    each?.attributes.message,
  ]);
  expect(skipped).toEqual([
    ['skipped', 'inconclusive: Answered 503.'],
    ['skipped', 'not-applicable: The target does not have sku shirt-blue.'],
  ]);
  expect(ending('quantity-zero')).toMatchObject({ name: 'failure', attributes: { type: 'drift' } });
});

test('counts, for all and for each group, are those of the tests', () => {
  expect(root.attributes).toMatchObject({ tests: '6', failures: '2', errors: '1', skipped: '2', time: '1.500' });
  for (const { children, attributes } of root.children) {
    const own = children.filter(({ name }) => name === 'testcase');
    const ends = own.flatMap((each) => each.children.map(({ name }) => name));
    const count = (name: string) => String(ends.filter((each) => each === name).length);
    expect(attributes).toMatchObject({
      tests: String(own.length),
      failures: count('failure'),
      errors: count('error'),
      skipped: count('skipped'),
    });
  }
});

test('a test has requirement or question, part of the documentation and place as properties', () => {
  const propertiesOf = (element: Element | undefined) =>
    Object.fromEntries(
      element?.children
        .find(({ name }) => name === 'properties')
        ?.children.map(({ attributes }) => [attributes.name, attributes.value]) ?? [],
    );
  expect(propertiesOf(testOf('integer-quantity'))).toEqual({
    requirement: 'order.quantity',
    part: suite.contract.requirements.find(({ id }) => id === 'order.quantity')?.part,
    at: expect.stringMatching(/^cases\/requirements\/order\.yaml:\d+:\d+$/),
  });
  expect(propertiesOf(testOf('quantity-zero'))).toMatchObject({ question: 'quantity-zero', outcome: 'as-one' });
  expect(propertiesOf(root.children[0])).toMatchObject({ target: 'shop', verdict: 'does-not-conform' });
});

test('a failure reads the same in the terminal, on the page and here', async () => {
  const broken = createIndependentDeployment(suite.world, { violation: 'ignores-quantity' });
  const own = { ...suite, cases: suite.cases.filter(({ id }) => id === 'integer-quantity') };
  const run = await certifyInProcess(broken, { suite: own });
  const [result] = run.results.filter(({ verdict }) => verdict === 'fail');
  if (result === undefined) throw new Error('Nothing fails.');
  const text = renderFailure(result, run.certificate.target.base_url, createResponseRenderer(suite.world));
  for (const heading of [
    'Returned, but should not be:',
    "Expected:\n'two-and-three' does not return 'mug-3'",
    'Received:',
  ])
    expect(text).toContain(heading);
  const markup = text.split('\n').map(escapeMarkup).join('\n');
  const page = renderOutput('certificate.html', run.certificate, own, run.results);
  const { why, ...others } = createFailureSections(
    result,
    run.certificate.target.base_url,
    createResponseRenderer(suite.world),
  );
  expect(Object.keys(others)).toEqual(['expected', 'received', 'command']);
  for (const part of [why.join('\n'), ...Object.values(others)]) {
    expect(text).toContain(part);
    expect(page).toContain(renderPreformatted(part).text);
  }
  expect(renderOutput('junit.xml', run.certificate, own, run.results)).toContain(`>${markup}</failure>`);
});
