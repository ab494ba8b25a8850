import type { CaseResult } from '../engine/case-result.js';
import { curlCommand } from '../http/curl.js';
import { asLines } from '../support/foreign-text.js';
import type { ResponseText } from './exchange-text.js';

/**
 * Why a case failed, in lines for people, the same wherever it is read: the reason, or each row that fails; what was
 * expected and what came back; and how to see it again.
 */
export function failureText(
  { reason, rows, expected, evidence, asCase }: CaseResult,
  baseUrl: string,
  responseText: ResponseText,
): string {
  const broken = rows.filter(({ verdict }) => verdict === 'fail').map(({ title, reason }) => `  ${title}: ${reason}`);
  const lines = [
    ...(rows.length > 1 ? [`${broken.length} of ${rows.length} rows fail:`, ...broken] : [reason]),
    ...(expected === undefined ? [] : ['', 'Expected:', `${expected}.`]),
    ...(asCase === undefined ? [] : ['', 'As a case:', ...asCase.trimEnd().split('\n')]),
    ...(evidence === undefined
      ? []
      : [
          '',
          'Received:',
          ...responseText(evidence).split('\n'),
          '',
          'Send it again with:',
          ...curlCommand(evidence.request, baseUrl).split('\n'),
        ]),
  ];
  return asLines(lines).trimEnd();
}
