/** Puts the response times of several certificates side by side. */

import type { Certificate } from '../certificate.js';
import type { KindTimes } from '../response-times.js';
import type { RequestKind } from './request-kind.js';

/** A table of texts: a row for each kind of request, a column for each certificate. */
export interface TimesTable {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
}

/**
 * Creates the table; undefined if fewer than two certificates have times.
 *
 * @param isOverTime whether each is compared with the one before it, and not with the first one
 */
export function createTimesTable(certificates: readonly Certificate[], isOverTime: boolean): TimesTable | undefined {
  const times = certificates.flatMap(({ response_times }) => response_times ?? []);
  if (times.length < 2) return undefined;
  const kinds = [...new Set(times.flatMap((each) => each.kinds.map(({ kind }) => kind)))];
  const renderCell = (certificate: Certificate, n: number, kind: RequestKind) => {
    const found = findTimes(certificate, kind);
    if (found === undefined) return '';
    const { requests, median_ms, p95_ms, slowest_ms } = found;
    return `${median_ms} / ${p95_ms} / ${slowest_ms} (${requests})${describeChange(certificates[isOverTime ? n - 1 : 0], certificate, kind)}`;
  };
  return {
    title: 'Response times in ms: median / 95th percentile / slowest (number of requests)',
    rows: [
      ...kinds.map((kind) => [kind, ...certificates.map((each, n) => renderCell(each, n, kind))]),
      ['requests at once', ...certificates.map(({ response_times: all }) => String(all?.concurrency ?? ''))],
    ],
  };
}

function findTimes(certificate: Certificate | undefined, wanted: RequestKind): KindTimes | undefined {
  return certificate?.response_times?.kinds.find(({ kind }) => kind === wanted);
}

/** Times are whole milliseconds, so that equal times may differ by one. */
const resolutionMs = 1;

/** The times of the same requests changed if the confidence intervals of the medians do not overlap. */
function describeChange(reference: Certificate | undefined, certificate: Certificate, kind: RequestKind): string {
  const [before, after] = [findTimes(reference, kind), findTimes(certificate, kind)];
  const [one, other] = [before?.median_between_ms, after?.median_between_ms];
  const areAlike =
    reference?.suite.digest === certificate.suite.digest &&
    reference.response_times?.concurrency === certificate.response_times?.concurrency &&
    before?.requests === after?.requests;
  if (!areAlike || one === undefined || other === undefined) return '';
  if (other[0] - one[1] > resolutionMs) return ' slower';
  return one[0] - other[1] > resolutionMs ? ' faster' : '';
}
