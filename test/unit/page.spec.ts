/** What the page of a run shows, apart from the browser that shows it. */

import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { CauseEntry } from '../../src/certificate/cause-entry.js';
import { type Certificate, createCertificate } from '../../src/certificate/certificate.js';
import { foldAfter, foldRest } from '../../src/outputs/page/fold-after.js';
import { type ShownText, showDifference, showSections, showText } from '../../src/outputs/page/shown-text.js';
import { viewFailures } from '../../src/outputs/page/view-failures.js';
import { viewQuestionGroups } from '../../src/outputs/page/view-questions.js';
import { viewCases, viewVerdicts } from '../../src/outputs/page/view-requirements.js';
import { certifyInProcess, createReference, type InProcessRun, suite } from '../support/in-process.js';
import { renderOutput } from '../support/render-output.js';

const read = ({ excerpt }: ShownText) => excerpt.map(({ text, mark }) => (mark === '' ? text : `[${mark}]`)).join('');
const join = ({ excerpt }: ShownText) => excerpt.map(({ text, mark }) => text + mark).join('');

test.describe('texts', () => {
  test('What decides is marked, and only that', () => {
    const cases = [
      ['level=gold,web', 'level=gold.web', 'level=gold[,]web', 'level=gold[.]web'],
      ['{"a":1,"b":2}', '{"a":1}', '{"a":1[,"b":2]}', '{"a":1}'],
      [
        '{"a":"cust_1","b":[1],"n":"3"}',
        '{"a":"cust_2","b":[1],"n":"x"}',
        '{"a":"[cust_1]","b":[1],"n":"[3]"}',
        '{"a":"[cust_2]","b":[1],"n":"[x]"}',
      ],
      ['one two three', 'three two one', '[one] two [three]', '[three] two [one]'],
      ['same', 'same', 'same', 'same'],
      ['x🎁y', 'x🎈y', 'x[🎁]y', 'x[🎈]y'],
      ['', 'x', '', '[x]'],
    ] as const;
    for (const [left, right, markedLeft, markedRight] of cases) {
      expect(read(showDifference(left, right))).toBe(markedLeft);
      expect(read(showDifference(right, left))).toBe(markedRight);
    }
  });

  test('A long text is folded: an excerpt has what decides, and the whole text is kept', () => {
    const items = (id: string) =>
      `--data '${Array.from({ length: 71 }, (_, n) => `{"sku_id":"${n === 35 ? id : n}"}`)}'`;
    const shown = showDifference(items('wrong'), items('right'));
    expect(read(shown)).toMatch(/^….*\[wrong\].*…$/);
    expect(read(shown).length).toBeLessThan(600);
    expect([shown.whole, shown.length]).toEqual([items('wrong'), items('wrong').length.toLocaleString('en')]);
    expect(read(showText(items('wrong')))).toMatch(/^--data .*…$/);
    expect(showText('short')).toMatchObject({ whole: '', excerpt: [{ text: 'short' }] });
  });

  test('No excerpt is too long, or splits a character, and a short text is shown as it is', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 0, maxLength: 1_500 });
    const property = fc.property(text, text, text, (before, left, right) => {
      const shown = showDifference(before + left + before, before + right + before);
      // A lone half of a character.
      for (const part of shown.excerpt) expect(part.text + part.mark).not.toMatch(/\p{Cs}/u);
      expect(join(shown).length).toBeLessThan(2_500);
      if (shown.whole === '') expect(join(shown)).toBe(before + left + before);
      else expect(shown.whole).toBe(before + left + before);
    });
    fc.assert(property, { seed: 20_261_128 });
  });

  test('Absent and empty texts have no section, and a list is folded where it is worth it', () => {
    expect(showSections({ a: undefined, b: '', c: 'x' }).map(({ label }) => label)).toEqual(['c']);
    expect(foldAfter([1, 2, 3, 4], 3, 'row')).toEqual([{ more: '', entries: [1, 2, 3, 4] }]);
    expect(foldAfter([1, 2, 3, 4, 5], 3, 'row')).toEqual([
      { more: '', entries: [1, 2, 3] },
      { more: '2 more rows', entries: [4, 5] },
    ]);
    expect(foldAfter([], 3, 'row')).toEqual([]);
    expect(foldRest([], [1, 2], 'row')).toEqual([{ more: '', entries: [1, 2] }]);
  });
});

test.describe('failures', () => {
  let run: InProcessRun;
  test.beforeAll(async () => {
    run = await certifyInProcess(createReference({ faults: ['campaign-filter-ignored', 'quantity-ignored'] }));
  });

  test('Failing cases come first, the smallest request before longer ones', () => {
    const [first] = viewCases(run.certificate, suite, () => '');
    expect(first?.verdict).toBe('fail');
    const failing = viewCases(run.certificate, suite, () => '').map(({ cases }) =>
      cases.filter(({ verdict }) => verdict === 'fail'),
    );
    const all = run.certificate.requirements.flatMap(({ cases }) => cases);
    const measure = (id: string) => all.find((entry) => entry.id === id)?.repeat_with?.length ?? 0;
    expect(failing.some((cases) => cases.length > 2)).toBe(true);
    for (const cases of failing) {
      const lengths = cases.map(({ id }) => measure(id));
      expect(lengths).toEqual(lengths.toSorted((left, right) => left - right));
    }
  });

  test('A requirement that no cause explains has its own failure, and all that fail have a number', () => {
    const { certificate } = run;
    const failing = certificate.requirements.filter(({ verdict }) => verdict === 'fail');
    const [explained] = failing;
    const cause = {
      id: 'contrast/1',
      sentence: 'The filter is ignored.',
      evidence: [],
      requirements: [explained?.id ?? ''],
      cases: explained?.cases.map(({ id }) => id) ?? [],
      follows: [],
    } as unknown as CauseEntry;
    const explainedRun = { ...certificate, causes: [cause] };
    const failures = viewFailures(explainedRun);
    expect(failures.map(({ number, sentence }) => [number, sentence])).toEqual(
      [cause.sentence, ...failing.slice(1).map(({ statement }) => statement)].map((sentence, n) => [n + 1, sentence]),
    );
    // Each has the smallest of its failing requests.
    for (const { examples } of failures) expect(examples).toHaveLength(1);
    const verdicts = viewVerdicts(explainedRun, failures);
    for (const { verdict, numbers } of verdicts) expect(numbers.length).toBe(verdict === 'fail' ? 1 : 0);
  });

  test('What was retried is shown, and nothing where nothing was', () => {
    const disturbances = { retried: { 503: 12, 'timed-out': 1 }, requests_per_second: 5 };
    const render = (certificate: Certificate) => renderOutput('certificate.html', { ...run, certificate }, suite);
    expect(render({ ...run.certificate, disturbances })).toMatch(/12 × 503, 1 timeout: retried\. Slowed to 5 requests/);
    expect(render(run.certificate)).not.toContain('retried');
  });

  test('What was not selected is neither known nor explained', async () => {
    const few = { ...suite, cases: suite.cases.filter(({ id }) => id === 'campaign-filter') };
    const { results, showExchange } = await certifyInProcess(createReference(), { suite: few });
    const facts = { target: { name: 'x', base_url: 'http://x.test' }, requestsSent: 1, isCutShort: false, notes: [] };
    const certificate = createCertificate(suite, results, {
      ...facts,
      showExchange,
      startedAt: new Date(0),
      durationMs: 0,
    });
    const verdicts = viewVerdicts(certificate, viewFailures(certificate));
    expect(verdicts.filter(({ verdict }) => verdict === 'not-run').length).toBeGreaterThan(10);
    for (const { isKnown, numbers, reason } of verdicts) expect([isKnown, numbers, reason]).toEqual([false, [], '']);
  });

  test('What decides is marked in the requests of a contrast, also where an earlier request decides', () => {
    const example = (repeat_with: string) => ({ exchange: repeat_with, repeat_with, received: '200' });
    const cause = { sentence: 'x', evidence: [], requirements: ['limit.newest-150'], cases: [], follows: [] };
    const show = (wrong: string[], right?: string) => {
      const contrast = { ...cause, wrong: wrong.map(example), ...(right && { right: example(right) }) };
      const [failure] = viewFailures({ ...run.certificate, causes: [contrast as unknown as CauseEntry] });
      return failure?.examples.map(({ kind, sections: [request] }) => `${kind} ${request && read(request)}`);
    };
    expect(show(['curl gold'], 'curl bold')).toEqual(['wrong curl [gold]', 'right curl [bold]']);
    expect(show(['curl ann', 'curl bob'], 'curl bob')).toEqual([
      'first curl [ann]',
      'wrong curl [bob]',
      'right curl bob',
    ]);
    expect(show(['curl ann'])).toEqual(['wrong curl ann']);
  });
});

test('Groups of questions are folded, unless a warning or a changed answer is among a few', async () => {
  const questions = { ...suite, cases: suite.cases.filter(({ kind }) => kind === 'question') };
  const { certificate } = await certifyInProcess(createReference(), { suite: questions });
  const view = (warning: number, drift: number) => {
    const answers = suite.contract.questions.map((question, n) => {
      const entry = { ...certificate.questions[n], warning: n < warning, drift: n >= 88 - drift };
      return {
        question,
        entry: entry as (typeof certificate.questions)[number],
        exchange: undefined,
        shown: undefined,
      };
    });
    return viewQuestionGroups(certificate, suite.contract, answers, () => '');
  };
  expect(view(0, 0).filter(({ isOpen }) => isOpen)).toEqual([]);
  const groups = view(1, 1);
  expect(groups.map(({ isOpen }, n) => [n, isOpen]).filter(([, isOpen]) => isOpen)).toEqual([
    [0, true],
    [groups.length - 1, true],
  ]);
  const [first] = groups;
  expect([first?.counts, first?.blocks.map(({ more, entries }) => [more, entries.length])]).toEqual([
    '7 answered, 1 warning',
    [
      ['', 1],
      ['6 more questions', 6],
    ],
  ]);
  expect(view(71, 0).filter(({ isOpen }) => isOpen)).toEqual([]);
  expect(view(71, 0)[0]?.counts).toBe('7 answered, 7 warnings');
});
