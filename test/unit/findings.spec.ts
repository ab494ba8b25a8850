import { expect, test } from '@playwright/test';
import { renderExaminationFindings } from '../../src/outputs/terminal/findings.js';
import { createReason } from '../../src/support/reason.js';

test('Findings are printed with area, state and sentence', () => {
  const output = renderExaminationFindings([
    { area: 'Body on GET', state: 'problem', reason: createReason('body-lost', { status: 200, throughTransport: 0 }) },
    { area: 'URL', state: 'fine', reason: createReason('answers') },
    { area: 'Ids', state: 'unknown', reason: createReason('not-checked') },
  ]);
  expect(output.split('\n')).toEqual([
    expect.stringMatching(/^Body on GET {2}PROBLEM {2}The target answered 200 .*body seems to be lost: some proxies, /),
    'URL          fine     The operation answers.',
    'Ids          ?        Not checked: solve the other problems first.',
    '',
  ]);
});
