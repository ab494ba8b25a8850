import { gunzipSync, gzipSync } from 'node:zlib';
import type { TestInfo } from '@playwright/test';
import type { TestCase, TestResult } from '@playwright/test/reporter';
import type { Calibration } from '../engine/calibrate.js';
import type { CaseResult } from '../engine/case-result.js';
import type { ExchangeUse, KeptExchange } from '../engine/evidence-keeper.js';
import type { ProfileFigures } from '../engine/profile.js';
import type { Session } from './run-state.js';
import { collectGarbageEarly } from './v8-settings.js';

/** What a test hands to the reporter. It travels as an attachment, so that merged reports of shards hold it too. */
export interface TestReport {
  readonly result: CaseResult;
  readonly target: Session['target'];
  readonly calibration: Pick<Calibration, 'requestsSent' | 'note'>;
  /** So that merged reports of shards do not pass for those of a full run. */
  readonly profile?: ProfileFigures;
  /** Which of the machines it is from, where several share a run. */
  readonly shard?: number;
  /** What the exchanges were for that are attached beside it. */
  readonly uses: readonly ExchangeUse[];
}

/** The names of attachments. */
const names = { report: 'conformance', exchanges: 'conformance-exchanges' } as const;

/** How many characters of exchanges are attached together: those of a case may be more than should be one text. */
const lengthOfPiece = 1024 * 1024;

/** @param exchanges redacted */
export function attachTestReport(testInfo: TestInfo, report: TestReport, exchanges: readonly KeptExchange[]): void {
  // Not `attach`, which makes a step of it, and that takes longer than most cases.
  const attach = (name: string, contentType: string, body: Buffer) =>
    testInfo.attachments.push({ name, contentType, body });
  let lines: string[] = [];
  let length = 0;
  for (const [n, kept] of exchanges.entries()) {
    const line = JSON.stringify(kept);
    lines.push(line);
    length += line.length;
    if (length >= lengthOfPiece) collectGarbageEarly();
    else if (n < exchanges.length - 1) continue;
    attach(names.exchanges, 'application/gzip', gzipSync(lines.join('\n'), { level: 1 }));
    lines = [];
    length = 0;
  }
  attach(names.report, 'application/json', Buffer.from(JSON.stringify(report)));
}

/** The report of a test with its exchanges, still packed, unless it ended before it had one. */
export function readTestReport({
  attachments,
}: TestResult): { report: TestReport; packed: readonly Buffer[] } | undefined {
  const bodies = (wanted: string) => attachments.flatMap(({ name, body }) => (name === wanted ? (body ?? []) : []));
  const [text] = bodies(names.report);
  return text && { report: JSON.parse(text.toString('utf8')), packed: bodies(names.exchanges) };
}

export function unpackExchanges(packed: Buffer): KeptExchange[] {
  const text = gunzipSync(packed).toString('utf8');
  if (text.length >= lengthOfPiece) collectGarbageEarly();
  return text.split('\n').map((line) => JSON.parse(line));
}

/** Takes the report out of a result, of which Playwright keeps all until the end of the run. */
export function removeTestReport({ attachments }: TestResult): void {
  const others = attachments.filter(({ name }) => name !== names.report && name !== names.exchanges);
  attachments.splice(0, attachments.length, ...others);
}

/** Which case a test runs. */
export const caseAnnotation = 'case';

export function readCaseId({ annotations }: TestCase): string | undefined {
  return annotations.find(({ type }) => type === caseAnnotation)?.description;
}
