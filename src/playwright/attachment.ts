import { gunzipSync, gzipSync } from 'node:zlib';
import type { TestInfo } from '@playwright/test';
import type { TestCase, TestResult } from '@playwright/test/reporter';
import type { Calibration } from '../engine/calibrate.js';
import type { CaseResult } from '../engine/case-result.js';
import type { KeptExchange, Use } from '../engine/evidence.js';
import type { ProfileFigures } from '../engine/profile.js';
import type { StoredEvidence } from '../report/har.js';
import type { Session } from './run-state.js';

/** What a test hands to the reporter. It travels as an attachment, so that merged reports of shards hold it too. */
export interface Report {
  readonly result: CaseResult;
  readonly target: Session['target'];
  readonly calibration: Pick<Calibration, 'requestsSent' | 'note'>;
  /** So that merged reports of shards do not pass for those of a full run. */
  readonly profile?: ProfileFigures;
  /** Which of the machines it is from, where several share a run. */
  readonly shard?: number;
  readonly evidence: PackedEvidence;
}

/** Exchanges take a lot of room, and the attachments of all tests are in memory at once. */
export interface PackedEvidence {
  readonly uses: readonly Use[];
  /** Each exchange by itself, since all of a case together may be large: JSON, compressed, in base64. */
  readonly packed: readonly string[];
}

export function packedEvidence({ exchanges, uses }: StoredEvidence): PackedEvidence {
  const packed = exchanges.map((kept) => gzipSync(JSON.stringify(kept), { level: 1 }).toString('base64'));
  return { uses, packed };
}

export function* unpackedExchanges({ packed }: PackedEvidence): Generator<KeptExchange, void, undefined> {
  for (const each of packed) yield JSON.parse(gunzipSync(Buffer.from(each, 'base64')).toString('utf8'));
}

const name = 'conformance';

export function attachReport(testInfo: TestInfo, report: Report): void {
  // Not `attach`, which makes a step of it, and that takes longer than most cases.
  testInfo.attachments.push({ name, body: Buffer.from(JSON.stringify(report)), contentType: 'application/json' });
}

/** The report of a test, unless it ended before it had one. */
export function reportOf({ attachments }: TestResult): Report | undefined {
  const body = attachments.find((attachment) => attachment.name === name)?.body;
  return body === undefined ? undefined : JSON.parse(body.toString('utf8'));
}

/** Which case a test runs. */
export const caseAnnotation = 'case';

export function caseIdOf({ annotations }: TestCase): string | undefined {
  return annotations.find(({ type }) => type === caseAnnotation)?.description;
}
