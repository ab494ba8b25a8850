import { expect, test } from '@playwright/test';
import { renderExplanation } from '../../src/cases/explanation.js';
import { suite } from '../support/in-process.js';

function explained(id: string, row?: number): string {
  const testCase = suite.cases.find((each) => each.id === id);
  if (testCase === undefined) throw new Error(`There is no case ${id}.`);
  return renderExplanation(testCase, suite, row);
}

test('A requirement case is explained: statement, meaning, commands, and what is required, forbidden and open, and why', () => {
  const text = explained('sample-campaign-filter');
  for (const line of [
    /^It verifies the requirement filter\.promotion-id:\n {2}With the promotion_id filter, .*\n {2}In the documentation: Endpoints$/m,
    /^'plain' is sent as\n {4}curl -gi \\$/m,
    /^ {6}"\$BASE_URL"'\/v1\/promotions\/validation\?\[filters\]\[promotion_id\]\[conditions\]\[\$is\]=camp_[0-9a-f]{24}' \\$/m,
    /^ {2}Required to be returned: \d+\n {4}'greeting' \(rank 1\), /m,
    /^ {4}'beyond-first' \(rank 151\), .*: older than the newest 150$/m,
    /^ {4}'for-ben' \(rank 3\): rule: the customer is ben or bulk$/m,
    /^ {4}'mug-10' \(rank 10\): rule: an order item has product mug, quantity 10 or more$/m,
    /^ {4}.* and \d+ more: the filter requires spring$/m,
    /^ {2}Open: \d+\n {4}'beyond-first' \(rank 151\), .*: older than the newest 150, and the filter may come first$/m,
    /^Given that\n {2}- 'plain' is answered 2xx$/m,
    /^It is expected that\n {2}- 'probe' is answered 2xx\n {2}- 'probe' returns 'greeting' \(rank 1\), /m,
  ])
    expect(text).toMatch(line);
});

test('A question is explained with what shows each outcome', () => {
  const text = explained('filter-beyond-window');
  expect(text).toMatch(/^It answers the question filter-beyond-window:\n {2}\S.*\n {2}In the documentation: \S/m);
  expect(text).toContain("The first of these outcomes that holds is the answer; 'probe' shows it:");
  for (const outcome of ['filter-first', 'window-first', 'rejected', 'server-error'])
    expect(text).toMatch(new RegExp(`^  ${outcome}: \\S.*\\n    - 'probe' `, 'm'));
});

test('An open request is explained with the reason, and an open value with its description', () => {
  expect(explained('omitted-customer')).toContain('The rest is open: the effect of leaving out customer is open.');
  expect(explained('response-status')).toContain("The answer is read from the response to 'plain': The status code of");
});

test('A matrix is explained with the meaning of each row, and one row in full', () => {
  const first = explained('campaign-filter');
  expect(first).toMatch(
    /^9 rows:\n {2}1\. spring, ann, a product, nothing\n {5}'filtered' \(customer ann, 1 mug, filter campaign spring\) returns 'greeting' and \d+ more, and does not return '.*' and \d+ more\.$/m,
  );
  expect(first).toMatch(/^Row 1: spring, .* \(another row: --row NUMBER\)$/m);
  expect(explained('campaign-filter', 9)).toMatch(/^Row 9: a campaign for bulk only, bulk, /m);
});

test('Each case can be explained', () => {
  for (const { id } of suite.cases) expect(explained(id), id).toMatch(/^It (verifies|answers) the /m);
});
