/** Evidence as an HTTP Archive 1.2, which browsers and HTTP clients open. Members of our own begin with an underscore. */

import type { Entry, Header, Log } from 'har-format';
import {
  type Exchange,
  getHeaderValues,
  type Headers,
  type HttpRequest,
  type RetriedAttempt,
  type TransportErrorKind,
} from '../http/exchange.js';
import type { ExchangeUse, StoredEvidence, StoredExchange } from '../run/case-report.js';
import type { CaseResult } from '../run/case-result.js';
import { parseBoundedJson } from '../support/json-bounds.js';
import { readOwnPackage } from '../support/package-root.js';
import { createInputError } from '../support/problem.js';
import { findSchemaProblem } from '../support/schema-validation.js';
import { decodeText } from '../support/text-file.js';
import { escapeControlCharacters } from '../support/untrusted-text.js';
import { markAsWrittenByRun } from '../support/written-mark.js';

/** The run that the evidence is of. With it, the evidence can be judged again without anything else. */
export interface EvidenceOrigin {
  readonly suite: { readonly name: string; readonly version: string; readonly digest: string };
  readonly baseUrl: string;
  readonly inputs: unknown;
  /** How far the run came. Cases that it does not name were not selected. */
  readonly extent: {
    readonly isCutShort: boolean;
    readonly judged: readonly string[];
    /** The results of the selected cases that no exchange judged: they were not reached, or something failed before. */
    readonly unjudged: readonly Pick<CaseResult, 'id' | 'verdict' | 'reason'>[];
  };
}

interface EvidenceLog extends Omit<Log, 'entries'> {
  readonly entries: readonly EvidenceEntry[];
  readonly _uses: readonly ExchangeUse[];
  readonly _origin: EvidenceOrigin;
}

interface EvidenceEntry extends Entry {
  readonly _id: string;
  readonly _attempts?: number;
  readonly _numbers?: readonly number[];
  readonly _retried?: readonly RetriedAttempt[];
  readonly _sent?: Exclude<HttpRequest['sent'], undefined>;
  readonly _again?: number;
  readonly _error?: { readonly kind: TransportErrorKind; readonly message: string };
}

export type EvidenceArchive = ReturnType<ReturnType<typeof createEvidenceArchiver>['finish']>;

/** Creates an archiver: it encodes each exchange when it comes. */
export function createEvidenceArchiver(baseUrl: string) {
  const { name, version } = readOwnPackage();
  const entries: Buffer[] = [];
  return {
    add(kept: StoredExchange): void {
      const separator = entries.length === 0 ? '' : ',';
      entries.push(encode(`${separator}\n${JSON.stringify(createEntry(kept, baseUrl))}`));
    },
    finish(uses: readonly ExchangeUse[], origin: EvidenceOrigin) {
      const head = `{"log":{"version":"1.2","creator":${JSON.stringify({ name, version })},"entries":[`;
      const members = JSON.stringify({ _uses: uses, _origin: origin, _written_by: '' });
      const tail = `\n],${members.slice(1, -'"}'.length)}`;
      return { content: markAsWrittenByRun([encode(head), ...entries, encode(tail)], '"}}\n'), count: entries.length };
    },
  };
}

function encode(json: string): Buffer {
  return Buffer.from(escapeControlCharacters(json));
}

function createEntry({ id, exchange }: StoredExchange, baseUrl: string): EvidenceEntry {
  const { request, attempts, numbers, retried, timing } = exchange;
  const { method, path, headers, body, sent, again } = request;
  const [mimeType = ''] = getHeaderValues(headers, 'content-type');
  const error = 'response' in exchange ? undefined : { kind: exchange.transportError, message: exchange.message };
  const response = 'response' in exchange ? exchange.response : { status: 0, headers: [], body: '' };
  const [responseType = 'x-unknown'] = getHeaderValues(response.headers, 'content-type');
  const common = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1, bodySize: -1 };
  // The format requires a time for each entry.
  const { startedAt, durationMs } = timing ?? { startedAt: 0, durationMs: 0 };
  return {
    _id: id,
    startedDateTime: new Date(startedAt).toISOString(),
    time: durationMs,
    request: {
      ...common,
      method,
      url: `${baseUrl}${path}`,
      headers: toLines(headers),
      queryString: toLines([...new URLSearchParams(/\?(.*)$/s.exec(path)?.[1])]),
      ...(body !== undefined && { postData: { mimeType, text: body } }),
    },
    response: {
      ...common,
      status: response.status,
      statusText: '',
      headers: toLines(response.headers),
      content: { size: Buffer.byteLength(response.body), mimeType: responseType, text: response.body },
      redirectURL: getHeaderValues(response.headers, 'location')[0] ?? '',
    },
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
    _attempts: attempts,
    _numbers: numbers,
    _retried: retried,
    _sent: sent,
    _again: again,
    _error: error,
  };
}

function toLines(pairs: Headers): Header[] {
  return pairs.map(([name, value]) => ({ name, value }));
}

/** Parses an archive. @param file its name, for messages @throws UnusableInput if no run of this suite wrote it */
export function parseEvidenceArchive(
  content: Buffer,
  file: string,
): { evidence: StoredEvidence; origin: EvidenceOrigin } {
  const hint =
    'Name the evidence.har of a run. For exchanges of real callers, start from examples/traffic/judge-traffic.mjs.';
  const archive = parseBoundedJson(decodeText(content), file, hint);
  const problem = findSchemaProblem('evidence', archive);
  if (problem !== undefined) throw createInputError(file, `was not written by a run of this suite: ${problem}`, hint);
  const { _origin: origin, _uses: uses, entries } = (archive as { log: EvidenceLog }).log;
  const exchanges = entries.map((entry) => ({ id: entry._id, exchange: readExchange(entry, origin.baseUrl) }));
  return { evidence: { exchanges, uses }, origin };
}

function readExchange(entry: EvidenceEntry, baseUrl: string): Exchange {
  const { time, request, response, _error } = entry;
  const { _attempts: attempts, _numbers: numbers, _retried: retried, _sent: sent, _again: again } = entry;
  const { method, url, postData } = request;
  const [path, headers] = [url.slice(baseUrl.length), readHeaders(request)];
  const startedAt = Date.parse(entry.startedDateTime);
  const common = {
    request: { method, path, headers, body: postData?.text, sent, again },
    attempts,
    numbers,
    ...(retried && { retried }),
    timing: startedAt === 0 ? undefined : { startedAt, durationMs: time },
  };
  if (_error !== undefined) return { ...common, transportError: _error.kind, message: _error.message };
  const { status, content } = response;
  return { ...common, response: { status, headers: readHeaders(response), body: content.text ?? '' } };
}

function readHeaders({ headers }: { readonly headers: readonly Header[] }): Headers {
  return headers.map(({ name, value }) => [name, value]);
}
