/** Puts the response times of several certificates side by side. */

import type { Certificate } from '../certificate.js';
import type { KindTimes } from '../response-times.js';
import type { RequestKind } from './request-kind.js';

/** The response times of one kind of request. */
export interface ComparedTimes {
  readonly kind: RequestKind;
  /** One for each certificate. */
  readonly cells: readonly (ComparedKind | undefined)[];
}

type ComparedKind = KindTimes & { readonly change?: 'faster' | 'slower' };

/** @param findReference returns the certificate with which the one at an index is compared */
export function compareTimes(
  certificates: readonly Certificate[],
  findReference: (index: number) => Certificate | undefined,
): ComparedTimes[] {
  const kinds = new Set(certificates.flatMap(({ response_times: all }) => all?.kinds.map(({ kind }) => kind) ?? []));
  const find = (certificate: Certificate | undefined, kind: RequestKind) =>
    certificate?.response_times?.kinds.find((each) => each.kind === kind);
  return [...kinds].map((kind) => ({
    kind,
    cells: certificates.map((certificate, n) => {
      const times = find(certificate, kind);
      const reference = findReference(n);
      const before = find(reference, kind);
      if (times === undefined || before === undefined) return times;
      const areAlike =
        certificate.suite.digest === reference?.suite.digest &&
        certificate.response_times?.concurrency === reference.response_times?.concurrency;
      const change = areAlike ? findChange(before, times) : undefined;
      return { ...times, ...(change === undefined ? {} : { change }) };
    }),
  }));
}

/** Times are whole milliseconds, so that equal times may differ by one. */
const resolutionMs = 1;

/** The times of the same requests changed if the confidence intervals of the medians do not overlap. */
function findChange(before: KindTimes, after: KindTimes): ComparedKind['change'] {
  const [one, other] = [before.median_between_ms, after.median_between_ms];
  if (before.requests !== after.requests || one === undefined || other === undefined) return undefined;
  if (other[0] - one[1] > resolutionMs) return 'slower';
  return one[0] - other[1] > resolutionMs ? 'faster' : undefined;
}

/** A table of texts: a row for each kind of request, a column for each certificate. */
export interface TimesTable {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
}

/** Creates the table; undefined if fewer than two certificates have times. */
export function createTimesTable(
  times: readonly ComparedTimes[],
  certificates: readonly Certificate[],
): TimesTable | undefined {
  const concurrencies = certificates.map(({ response_times: all }) => all?.concurrency);
  if (concurrencies.filter((each) => each !== undefined).length < 2) return undefined;
  const renderCell = (cell: ComparedKind | undefined) => {
    if (cell === undefined) return '';
    const { requests, median_ms, p95_ms, slowest_ms, change } = cell;
    return `${median_ms} / ${p95_ms} / ${slowest_ms} (${requests})${change === undefined ? '' : ` ${change}`}`;
  };
  return {
    title: 'Response times in ms: median / 95th percentile / slowest (number of requests)',
    rows: [
      ...times.map(({ kind, cells }) => [kind, ...cells.map(renderCell)]),
      ['requests at once', ...concurrencies.map((each) => (each === undefined ? '' : String(each)))],
    ],
  };
}
