import { gunzipSync, gzipSync } from 'node:zlib';
import type { TestInfo } from '@playwright/test';
import type { TestCase, TestResult } from '@playwright/test/reporter';
import type { CertifiedTarget } from '../certificate/certificate.js';
import { maxArchiveBytes } from '../certificate/har-archive.js';
import type { Calibration } from '../run/calibrate.js';
import type { CaseResult } from '../run/case-result.js';
import type { ExchangeUse, StoredExchange } from '../run/evidence-keeper.js';
import { parseJson } from '../support/json.js';

/** What a test tells the reporter, as an attachment: the test runs in another process. */
export interface TestReport {
  readonly result: CaseResult;
  readonly target: CertifiedTarget;
  readonly calibration: Pick<Calibration, 'requestsSent' | 'note'>;
  /** What the attached exchanges were sent for. */
  readonly uses: readonly ExchangeUse[];
}

/** The names of the attachments. */
const names = { report: 'conformance', exchanges: 'conformance-exchanges' } as const;

/** How many characters of exchanges an attachment holds: all exchanges of a case may be too long for one string. */
const maxPieceLength = 1024 * 1024;

/** @param exchanges redacted */
export function attachTestReport(testInfo: TestInfo, report: TestReport, exchanges: readonly StoredExchange[]): void {
  // `testInfo.attach` also makes a step, which takes longer than most cases.
  const attach = (name: string, contentType: string, body: Buffer) =>
    testInfo.attachments.push({ name, contentType, body });
  let piece = '';
  for (const [n, kept] of exchanges.entries()) {
    piece += packExchange(kept);
    if (piece.length < maxPieceLength && n < exchanges.length - 1) continue;
    attach(names.exchanges, 'application/gzip', gzipSync(piece, { level: 1 }));
    piece = '';
  }
  attach(names.report, 'application/json', Buffer.from(JSON.stringify(report)));
}

/** The report of a test and its exchanges, which can be read once; undefined if the test ended before it had one. */
export function readTestReport({
  attachments,
}: TestResult): { report: TestReport; exchanges: Iterable<StoredExchange> } | undefined {
  const listBodies = (wanted: string) => attachments.flatMap(({ name, body }) => (name === wanted ? (body ?? []) : []));
  const [text] = listBodies(names.report);
  const report = text && (parseJson(text.toString('utf8')) as TestReport | undefined);
  return report && { report, exchanges: unpackExchanges(listBodies(names.exchanges)) };
}

/** Leaves the body as it is: to escape a long one as JSON takes as long as to compress it. */
function packExchange(kept: StoredExchange): string {
  const body = 'response' in kept.exchange ? kept.exchange.response.body : '';
  return `${body.length} ${JSON.stringify(replaceBody(kept, ''))}\n${body}`;
}

/** Unpacks piece by piece: together they may not fit into memory. */
function* unpackExchanges(pieces: readonly Buffer[]): Generator<StoredExchange> {
  for (const piece of pieces) {
    const text = gunzipSync(piece, { maxOutputLength: maxArchiveBytes }).toString('utf8');
    for (let at = 0; at < text.length; ) {
      const begin = text.indexOf('\n', at) + 1;
      const [, length, json = ''] = /^(\d+) (.*)\n$/.exec(text.slice(at, begin)) ?? [];
      at = begin + Number(length);
      yield replaceBody(parseJson(json) as StoredExchange, text.slice(begin, at));
    }
  }
}

function replaceBody({ id, exchange }: StoredExchange, body: string): StoredExchange {
  return {
    id,
    exchange: 'response' in exchange ? { ...exchange, response: { ...exchange.response, body } } : exchange,
  };
}

/** Frees the memory of a report: Playwright keeps all test results until the end of the run. */
export function removeTestReport({ attachments }: TestResult): void {
  const others = attachments.filter(({ name }) => name !== names.report && name !== names.exchanges);
  attachments.splice(0, attachments.length, ...others);
}

export const caseAnnotationType = 'case';

export function readCaseId({ annotations }: TestCase): string | undefined {
  return annotations.find(({ type }) => type === caseAnnotationType)?.description;
}
