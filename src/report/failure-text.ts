import type { ShownResult } from '../engine/case-result.js';
import { renderCurlCommand } from '../http/curl-command.js';
import { joinLines } from '../support/untrusted-text.js';
import { renderDrift } from './drift-text.js';
import type { ResponseRenderer } from './exchange-text.js';

/**
 * Whether a case is to be shown as broken: it fails, the suite could not do its work, or an answer is another one than is
 * expected. A changed shape shows in every case; it is reported once, for all of them.
 */
export function isBroken({ verdict, drift }: ShownResult): boolean {
  return verdict === 'fail' || verdict === 'error' || drift.some(({ kind }) => kind === 'outcome');
}

/** What is broken in a case that is, or has any drift at all: of what kind it is, and lines for people. */
export function renderBrokenCase(
  result: ShownResult,
  baseUrl: string,
  responseText: ResponseRenderer,
): { readonly kind: 'fail' | 'error' | 'drift'; readonly text: string } {
  const { verdict, drift } = result;
  if (verdict === 'fail' || verdict === 'error')
    return { kind: verdict, text: renderFailure(result, baseUrl, responseText) };
  return { kind: 'drift', text: drift.map((each) => renderDrift(each, result, responseText)).join('\n\n') };
}

/** Why a case failed, section by section; what there is nothing to say of is left out. */
export interface FailureSections {
  /** The reason, or each row that fails. */
  readonly why: readonly string[];
  readonly expected?: string;
  /** A case that shows it, as it could stand in a case file. */
  readonly asCase?: string;
  readonly received?: string;
  /** The command that sends the request again. */
  readonly command?: string;
}

/** The same sections wherever a failure is shown. */
export function createFailureSections(
  { reason, rows, expected, exchange: evidence, asCase }: ShownResult,
  baseUrl: string,
  responseText: ResponseRenderer,
): FailureSections {
  const broken = rows.filter(({ verdict }) => verdict === 'fail').map(({ title, reason }) => `  ${title}: ${reason}`);
  return {
    why: rows.length > 1 ? [`${broken.length} of ${rows.length} rows fail:`, ...broken] : [reason],
    ...(expected === undefined ? {} : { expected: `${expected}.` }),
    ...(asCase === undefined ? {} : { asCase: asCase.trimEnd() }),
    ...(evidence === undefined
      ? {}
      : { received: responseText(evidence), command: renderCurlCommand(evidence.request, baseUrl) }),
  };
}

/**
 * Why a case failed, in lines for people, the same wherever it is read: the reason, or each row that fails; what was
 * expected and what came back; and how to see it again.
 */
export function renderFailure(result: ShownResult, baseUrl: string, responseText: ResponseRenderer): string {
  const { why, expected, asCase, received, command } = createFailureSections(result, baseUrl, responseText);
  const part = (heading: string, text: string | undefined) =>
    text === undefined ? [] : ['', `${heading}:`, ...text.split('\n')];
  const lines = [
    ...why,
    ...part('Expected', expected),
    ...part('As a case', asCase),
    ...part('Received', received),
    ...part('Send it again with', command),
  ];
  return joinLines(lines).trimEnd();
}
