/** Evidence as an HTTP Archive 1.2, which browsers and HTTP clients open. Members of our own begin with an underscore. */

import { createHash } from 'node:crypto';
import type { Content, Entry, Header, Log, Response } from 'har-format';
import {
  type Exchange,
  getHeaderValues,
  type Headers,
  type HttpRequest,
  type TransportErrorKind,
} from '../http/exchange.js';
import type { CaseResult } from '../run/case-result.js';
import type { ExchangeUse, RunEvidence, StoredExchange } from '../run/evidence-keeper.js';
import { omitUndefined } from '../support/collections.js';
import { getMember, isJsonObject, parseJson } from '../support/json.js';
import { readOwnPackage } from '../support/package-root.js';
import { refuse } from '../support/problem.js';
import { findSchemaProblem } from '../support/schema-validation.js';
import { escapeControlCharacters } from '../support/untrusted-text.js';

/** The run that the evidence is of. With it, the evidence can be judged again without anything else. */
export interface EvidenceOrigin {
  readonly suite: { readonly name: string; readonly version: string; readonly digest: string };
  readonly baseUrl: string;
  readonly isReplay?: true;
  readonly inputs: unknown;
  /** How far the run came. Cases that it does not name were not selected. */
  readonly extent: {
    readonly isCutShort: boolean;
    readonly judged: readonly string[];
    /** The results of the selected cases that no exchange judged: they were not reached, or something failed before. */
    readonly unjudged: readonly Pick<CaseResult, 'id' | 'verdict' | 'reason'>[];
  };
}

/** The maximum number of characters of all kept bodies together. V8 could hold four times this in one string. */
const maxBodies = 128 * 1024 * 1024;

interface EvidenceLog extends Omit<Log, 'entries'> {
  readonly entries: readonly EvidenceEntry[];
  readonly _uses: readonly ExchangeUse[];
  readonly _origin: EvidenceOrigin;
}

interface EvidenceEntry extends Entry {
  readonly _id: string;
  readonly response: Response & { readonly content: EvidenceContent };
  readonly _attempts?: number;
  readonly _sent?: Exclude<HttpRequest['sent'], undefined>;
  readonly _again?: number;
  readonly _error?: { readonly kind: TransportErrorKind; readonly message: string };
}

interface EvidenceContent extends Content {
  /** The entry that has the same text. */
  readonly _text_of?: string;
  readonly _omitted?: true;
}

export type EvidenceArchive = ReturnType<ReturnType<typeof createArchiver>['finish']>;

/** Creates an archiver. A body that came several times is written once, in the first entry that has it. */
export function createArchiver(baseUrl: string) {
  const createContent = createContentFactory();
  const { name, version } = readOwnPackage();
  const entries: Buffer[] = [];
  return {
    add(kept: StoredExchange): void {
      const separator = entries.length === 0 ? '' : ',';
      entries.push(encode(`${separator}\n${JSON.stringify(createEntry(kept, baseUrl, createContent))}`));
    },
    finish(uses: RunEvidence['uses'], origin: EvidenceOrigin) {
      const head = `{"log":{"version":"1.2","creator":${JSON.stringify({ name, version })},"entries":[`;
      const tail = `\n],${JSON.stringify({ _uses: uses, _origin: origin }).slice(1, -1)}}}\n`;
      return { content: Buffer.concat([encode(head), ...entries, encode(tail)]), count: entries.length };
    },
  };
}

function encode(json: string): Buffer {
  return Buffer.from(escapeControlCharacters(json));
}

type ContentFactory = ReturnType<typeof createContentFactory>;

function createContentFactory() {
  const firstWith = new Map<string, string>();
  let characters = 0;
  return (id: string, text: string, mimeType: string): EvidenceContent => {
    const digest = computeDigest(text);
    const known = firstWith.get(digest);
    const common = { size: Buffer.byteLength(text), mimeType };
    if (known !== undefined) return { ...common, _text_of: known };
    if (characters + text.length > maxBodies) return { ...common, _omitted: true };
    characters += text.length;
    firstWith.set(digest, id);
    return { ...common, text };
  };
}

/** The format requires a time for each entry. */
const unknownTiming = { startedAt: 0, durationMs: 0 };

function createEntry({ id, exchange }: StoredExchange, baseUrl: string, createContent: ContentFactory): EvidenceEntry {
  const { request, attempts, timing = unknownTiming } = exchange;
  const { method, path, headers, body, sent, again } = request;
  const [mimeType = ''] = getHeaderValues(headers, 'content-type');
  const error = 'response' in exchange ? undefined : { kind: exchange.transportError, message: exchange.message };
  const response = 'response' in exchange ? exchange.response : { status: 0, headers: [], body: '' };
  const [responseType = 'x-unknown'] = getHeaderValues(response.headers, 'content-type');
  const common = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 };
  return {
    _id: id,
    startedDateTime: new Date(timing.startedAt).toISOString(),
    time: timing.durationMs,
    request: {
      ...common,
      method,
      url: `${baseUrl}${path}`,
      headers: toLines(headers),
      queryString: toLines([...new URLSearchParams(/\?(.*)$/s.exec(path)?.[1])]),
      ...(body !== undefined && { postData: { mimeType, text: body } }),
      bodySize: Buffer.byteLength(body ?? ''),
    },
    response: {
      ...common,
      status: response.status,
      statusText: '',
      headers: toLines(response.headers),
      content: createContent(id, response.body, responseType),
      redirectURL: getHeaderValues(response.headers, 'location')[0] ?? '',
      bodySize: -1,
    },
    cache: {},
    timings: { send: 0, wait: timing.durationMs, receive: 0 },
    ...omitUndefined({ _attempts: attempts, _sent: sent, _again: again, _error: error }),
  };
}

function toLines(pairs: Headers): Header[] {
  return pairs.map(([name, value]) => ({ name, value }));
}

/** Parses an archive. @param file its name, for messages @throws UnusableInput if no run of this suite wrote it */
export function parseArchive(content: Buffer, file: string): { evidence: RunEvidence; origin: EvidenceOrigin } {
  const archive = parseJson(content.toString('utf8'));
  const problem = findSchemaProblem('evidence', archive);
  if (problem !== undefined) {
    const hint = 'Name the evidence.har that a run of this suite wrote.';
    throw refuse(file, `was not written by a run of this suite: ${problem}`, hint);
  }
  const { _origin: origin, _uses: uses, entries } = (archive as { log: EvidenceLog }).log;
  const texts = new Map(entries.map(({ _id, response }) => [_id, response.content.text]));
  const exchanges = entries.map((entry) => ({ id: entry._id, exchange: readExchange(entry, origin.baseUrl, texts) }));
  return { evidence: { exchanges, uses }, origin };
}

export function computeDigest(content: Buffer | string): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

function readExchange(entry: EvidenceEntry, baseUrl: string, texts: ReadonlyMap<string, string | undefined>): Exchange {
  const { time, _attempts: attempts, _sent: sent, _again: again, _error } = entry;
  const { _text_of = '', _omitted } = entry.response.content;
  const startedAt = Date.parse(entry.startedDateTime);
  const timing = startedAt === unknownTiming.startedAt ? undefined : { startedAt, durationMs: time };
  const { request, response } = readEntry(entry, entry.request.url.slice(baseUrl.length));
  const common = { request: { ...request, ...omitUndefined({ sent, again }) }, ...omitUndefined({ attempts, timing }) };
  if (_error !== undefined) return { ...common, transportError: _error.kind, message: _error.message };
  const message = 'The evidence has no text for this body: there was too much of it.';
  if (_omitted) return { ...common, transportError: 'not-sent', message };
  const { status, headers, body = texts.get(_text_of) ?? '' } = response;
  return { ...common, response: { status, headers, body } };
}

/** Reads an entry of any archive. Status 0 means no response. @param path of the request, below the base URL */
export function readEntry({ request, response }: Partial<Entry>, path: string) {
  const { method = '', headers, postData } = request ?? {};
  const { status = 0, content } = response ?? {};
  const body = readText(postData?.text, getMember(postData, 'encoding'));
  const sent: HttpRequest = { method, path, headers: readHeaders(headers), ...omitUndefined({ body }) };
  const received = {
    status,
    headers: readHeaders(response?.headers),
    body: readText(content?.text, content?.encoding),
  };
  return { request: sent, response: received };
}

function readHeaders(headers: readonly Header[] | undefined): Headers {
  const listed = Array.isArray(headers) ? headers.filter(isJsonObject) : [];
  return listed.map(({ name, value }) => [String(name), String(value)] as const);
}

function readText(text: unknown, encoding: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  return encoding === 'base64' ? Buffer.from(text, 'base64').toString('utf8') : text;
}
