import type { CaseResult } from '../engine/case-result.js';
import { curlCommand } from '../http/curl.js';
import { asLines } from '../support/foreign-text.js';
import { driftText } from './drift-text.js';
import type { ResponseText } from './exchange-text.js';

/**
 * Whether a case is to be shown as broken: it fails, the suite could not do its work, or an answer is another one than is
 * expected. A changed shape shows in every case; it is reported once, for all of them.
 */
export function isBroken({ verdict, drift }: CaseResult): boolean {
  return verdict === 'fail' || verdict === 'error' || drift.some(({ kind }) => kind === 'outcome');
}

/** What is broken in a case that is, or has any drift at all: of what kind it is, and lines for people. */
export function brokenText(
  result: CaseResult,
  baseUrl: string,
  responseText: ResponseText,
): { readonly kind: 'fail' | 'error' | 'drift'; readonly text: string } {
  const { verdict, drift } = result;
  if (verdict === 'fail' || verdict === 'error')
    return { kind: verdict, text: failureText(result, baseUrl, responseText) };
  return { kind: 'drift', text: drift.map((each) => driftText(each, result, responseText)).join('\n\n') };
}

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
