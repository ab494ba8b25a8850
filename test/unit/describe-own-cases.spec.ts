import { expect, test } from '@playwright/test';
import type { CaseEntry } from '../../src/certificate/case-entry.js';
import { describeOwnCases } from '../../src/certificate/describe-own-cases.js';
import { loadSuite } from '../../src/suite/suite.js';
import { checkEachRow } from '../support/check-each-row.js';

const { questions } = loadSuite().contract;
const subject = 'quantity-zero';
const find = (kind: 'outcomes' | 'value') => questions.find(({ answer }) => answer.kind === kind);
const answered = (outcome: string): CaseEntry => ({
  id: `own-${subject}`,
  verdict: 'pass',
  reason: '',
  subject,
  outcome,
});
const describe = (entry: CaseEntry, ofSuite: string | null = null) =>
  describeOwnCases({
    folder: 'mine',
    counts: ['1 pass'],
    cases: [entry],
    questions,
    suiteOutcomes: new Map([[entry.subject ?? '', ofSuite]]),
  }).slice(1);

test('The answer of an own case is a sentence with the name of its outcome; another answer of the suite follows', async () => {
  const { answer } = questions.find(({ id }) => id === subject) ?? {};
  const outcomes = answer?.kind === 'outcomes' ? [...answer.outcomes] : [];
  const [[first = '', meaning = ''] = [], [second = '', other = ''] = []] = outcomes;
  expect(new Set([first, second, '']).size).toBe(3);
  const said = `own-${subject}: ${meaning} (${first})`;
  const rows: readonly (readonly [what: string, ofSuite: string | null, note: string])[] = [
    ['the suite did not ask', null, said],
    ['the suite has the same answer', first, said],
    ['the suite has no answer', 'undetermined', said],
    ['the suite has another answer', second, `${said} The case of the suite has another answer: ${other} (${second})`],
  ];
  await checkEachRow(rows, (_, ofSuite, note) => expect(describe(answered(first), ofSuite)).toEqual([note]));
});

test('An open value, an undetermined answer and a case without an answer are said as they are', () => {
  const value = find('value');
  const entry = { ...answered('404'), id: 'own-x', subject: value?.id };
  expect(describe(entry, '404')).toEqual([expect.stringMatching(/^own-x: [^(]+: 404\.$/)]);
  expect(describe(entry, '400')).toEqual([expect.stringMatching(/: 404\. The case of the suite .+: 400\.$/)]);
  const unclear = { ...answered('undetermined'), reason: 'No outcome holds.' };
  expect(describe(unclear, 'x')).toEqual([
    `own-${subject}: The behaviour could not be determined. (undetermined) No outcome holds.`,
  ]);
  expect(describe({ id: 'own-x', verdict: 'pass', reason: '', subject: 'order.quantity' })).toEqual([]);
});

test('A case that does not pass names its request, with a command on one line', () => {
  const failed = { id: 'own-x', verdict: 'fail', reason: 'Not returned.', at: 'x.yaml:1:2', request: 'three' } as const;
  const said = "fail  own-x (x.yaml:1:2), request 'three': Not returned.";
  expect(describe(failed)).toEqual([said]);
  expect(describe({ ...failed, repeat_with: 'curl -gi \\\n  http://a/ \\\n  -H a' })).toEqual([
    `${said} Send it again with: curl -gi http://a/ -H a`,
  ]);
  const long = describe({ ...failed, repeat_with: `curl ${'a'.repeat(2_000)}` });
  expect(long).toEqual([`${said} Send it again with: repeat_with in certificate.json.`]);
  expect(describe({ ...failed, request: undefined })).toEqual(['fail  own-x (x.yaml:1:2): Not returned.']);
});
