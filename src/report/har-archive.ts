/** Evidence as an HTTP Archive 1.2, which browsers and HTTP clients open. What is our own begins with an underscore. */

import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { EvidenceKeeper, ExchangeUse, KeptExchange, RunEvidence } from '../engine/evidence-keeper.js';
import {
  type Exchange,
  getHeaderValues,
  type Headers,
  type HttpRequest,
  type TransportErrorKind,
} from '../http/exchange.js';
import type { Verdict } from '../judge/verdict.js';
import { escapeControlCharacters } from '../support/escape-control-characters.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { readOwnPackage } from '../support/package-root.js';
import { UnusableInput } from '../support/problem.js';

/** Of what run the evidence is, so that it can be judged again without anything else. */
export interface EvidenceOrigin {
  readonly suite: { readonly name: string; readonly version: string; readonly digest: string };
  readonly baseUrl: string;
  /** What the run went by, as JSON. */
  readonly inputs: unknown;
  readonly extent: RunExtent;
}

/** How far a run came. Cases that are not in it were not selected. */
export interface RunExtent {
  /** Whether it ended before everything that was selected was judged. */
  readonly isCutShort: boolean;
  /** The ids of the results that came of judging. */
  readonly judged: readonly string[];
  /** The cases that were selected and have no such result: those that were not reached, or whose test broke off. */
  readonly unjudged: readonly { readonly id: string; readonly verdict: Verdict; readonly reason: string }[];
  /** A sentence for each share of the run that was not there. */
  readonly gaps?: readonly string[];
}

/** How long the archive may be as plain text, in characters: a longer one is compressed. */
const maxPlain = 8 * 1024 * 1024;
/** Of a longer one, how many characters are compressed together: what is not yet compressed is in memory. */
const pieceLength = 1024 * 1024;
/** How many characters of bodies are kept; those that come later are left out. Twice as many still make one text. */
const maxBodies = 128 * 1024 * 1024;
/** How many bytes an archive may unpack to: V8 has no longer texts. */
const maxUnpacked = 512 * 1024 * 1024;

interface Entry {
  readonly startedDateTime: string;
  readonly time: number;
  readonly request: HarRequest;
  readonly response: HarResponse;
  readonly cache: object;
  readonly timings: { readonly send: number; readonly wait: number; readonly receive: number };
  readonly _id: string;
  readonly _key: string;
  readonly _uses: readonly EntryUse[];
  readonly _attempts?: number;
  readonly _sent?: HttpRequest['sent'];
  readonly _again?: number;
  /** Why there is no response. */
  readonly _error?: { readonly kind: TransportErrorKind; readonly message: string };
}

/** With its place among all uses. */
type EntryUse = Omit<ExchangeUse, 'id'> & { readonly order: number };

interface HarRequest {
  readonly method: string;
  readonly url: string;
  readonly httpVersion: string;
  readonly cookies: readonly [];
  readonly headers: readonly HarHeader[];
  readonly queryString: readonly HarHeader[];
  readonly postData?: { readonly mimeType: string; readonly text: string };
  readonly headersSize: number;
  readonly bodySize: number;
}

interface HarResponse {
  readonly status: number;
  readonly statusText: string;
  readonly httpVersion: string;
  readonly cookies: readonly [];
  readonly headers: readonly HarHeader[];
  readonly content: {
    readonly size: number;
    readonly mimeType: string;
    readonly text?: string;
    /** The entry that has the same text. */
    readonly _text_of?: string;
    /** Whether the text was left out, as there was too much of it. */
    readonly _omitted?: true;
  };
  readonly redirectURL: string;
  readonly headersSize: number;
  readonly bodySize: number;
}

interface HarHeader {
  readonly name: string;
  readonly value: string;
}

interface Archive {
  readonly log: {
    readonly version: string;
    readonly creator: { readonly name: string; readonly version: string };
    readonly entries: readonly Entry[];
    readonly _origin: EvidenceOrigin;
  };
}

/** As it was read, all of it in memory. */
export type StoredEvidence = ReturnType<EvidenceKeeper['take']>;

/** An archive, as its file is named and as it is written: compressed where it is long. */
export interface EvidenceArchive {
  readonly isCompressed: boolean;
  readonly content: Buffer;
  /** How many exchanges it has. */
  readonly count: number;
}

/**
 * Writes evidence down. A body that came several times stands in the first entry that has it.
 *
 * @param evidence redacted
 */
export function createArchive({ exchanges, uses }: RunEvidence, origin: EvidenceOrigin): EvidenceArchive {
  const usesOf = new Map<string, EntryUse[]>();
  for (const [order, { id, ...use }] of uses.entries()) {
    const list = usesOf.get(id) ?? [];
    usesOf.set(id, list);
    list.push({ ...use, order });
  }
  const firstWith = new Map<string, string>();
  let bodies = 0;
  const contentOf = (id: string, body: string, mimeType: string): HarResponse['content'] => {
    // By digest, as the bodies themselves may be more than fits into memory.
    const digest = createHash('sha256').update(body).digest('base64url');
    const known = firstWith.get(digest);
    const common = { size: Buffer.byteLength(body), mimeType };
    if (known !== undefined) return { ...common, _text_of: known };
    if (bodies + body.length > maxBodies) return { ...common, _omitted: true };
    bodies += body.length;
    firstWith.set(digest, id);
    return { ...common, text: body };
  };
  const { name, version } = readOwnPackage();
  const head = { version: '1.2', creator: { name, version }, _origin: origin };
  // Piece by piece: all of it may be more than fits into memory.
  const pieces = [`{"log":${escapeControlCharacters(JSON.stringify(head)).slice(0, -1)},"entries":[`];
  const compressed: Buffer[] = [];
  let length = 0;
  const flush = (): void => {
    if (length <= (compressed.length > 0 ? pieceLength : maxPlain)) return;
    compressed.push(gzipSync(pieces.splice(0).join('')));
    length = 0;
  };
  let count = 0;
  for (const kept of exchanges) {
    const entry = entryOf(kept, usesOf.get(kept.id) ?? [], origin.baseUrl, contentOf);
    // What was written out is read back as it was.
    const piece = `${count === 0 ? '' : ','}\n${escapeControlCharacters(JSON.stringify(entry))}`;
    count += 1;
    pieces.push(piece);
    length += piece.length;
    flush();
  }
  const rest = [...pieces, '\n]}}\n'].join('');
  const isCompressed = compressed.length > 0;
  const content = isCompressed ? Buffer.concat([...compressed, gzipSync(rest)]) : Buffer.from(rest);
  return { isCompressed, content, count };
}

function entryOf(
  { id, key, exchange }: KeptExchange,
  uses: readonly EntryUse[],
  baseUrl: string,
  contentOf: (id: string, body: string, mimeType: string) => HarResponse['content'],
): Entry {
  const { request, attempts, timing = untimed } = exchange;
  const { method, path, headers, body, sent, again } = request;
  const [mimeType = ''] = getHeaderValues(headers, 'content-type');
  const error = 'response' in exchange ? undefined : { kind: exchange.transportError, message: exchange.message };
  return {
    startedDateTime: new Date(timing.startedAt).toISOString(),
    time: timing.durationMs,
    request: {
      method,
      url: `${baseUrl}${path}`,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: headers.map(([name, value]) => ({ name, value })),
      queryString: parametersOf(path),
      ...(body === undefined ? {} : { postData: { mimeType, text: body } }),
      headersSize: -1,
      bodySize: Buffer.byteLength(body ?? ''),
    },
    response: responseOf(id, exchange, contentOf),
    cache: {},
    timings: { send: 0, wait: timing.durationMs, receive: 0 },
    _id: id,
    _key: key,
    _uses: uses,
    ...omitUndefined({ _attempts: attempts, _sent: sent, _again: again, _error: error }),
  };
}

function responseOf(
  id: string,
  exchange: Exchange,
  contentOf: (id: string, body: string, mimeType: string) => HarResponse['content'],
): HarResponse {
  const { status, headers, body } =
    'response' in exchange ? exchange.response : { status: 0, headers: [] as Headers, body: '' };
  const [mimeType = 'x-unknown'] = getHeaderValues(headers, 'content-type');
  const [redirectURL = ''] = getHeaderValues(headers, 'location');
  return {
    status,
    statusText: '',
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: headers.map(([name, value]) => ({ name, value })),
    content: contentOf(id, body, mimeType),
    redirectURL,
    headersSize: -1,
    bodySize: -1,
  };
}

/** An archive has a time for each entry. */
const untimed = { startedAt: 0, durationMs: 0 };

/** As they stand in the query, decoded where that can be done. */
function parametersOf(path: string): HarHeader[] {
  const [, query = ''] = /\?(.*)$/s.exec(path) ?? [];
  return [...new URLSearchParams(query)].map(([name, value]) => ({ name, value }));
}

/**
 * Reads an archive that a run left.
 *
 * @param content of the file
 * @param file its name, for messages
 * @throws UnusableInput where it is none, or was not written by a run of this suite
 */
export function parseArchive(content: Buffer, file: string): { evidence: StoredEvidence; origin: EvidenceOrigin } {
  const refuse = (message: string): never => {
    const hint = 'Name the evidence.har, or evidence.har.gz, that a run of this suite left.';
    throw new UnusableInput([{ at: { setting: file }, message, hint }]);
  };
  let archive: Archive;
  try {
    const isCompressed = content[0] === 0x1f && content[1] === 0x8b;
    archive = JSON.parse(
      (isCompressed ? gunzipSync(content, { maxOutputLength: maxUnpacked }) : content).toString('utf8'),
    );
  } catch {
    return refuse('is no HTTP archive');
  }
  const { _origin: origin, entries } = archive?.log ?? {};
  if (origin === undefined || !Array.isArray(entries)) return refuse('is not of a run of this suite');
  try {
    return { evidence: evidenceIn(entries, origin.baseUrl), origin };
  } catch {
    return refuse('has entries that cannot be read');
  }
}

/** The digest of a file, as a certificate names it. */
export function computeDigest(content: Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

function evidenceIn(entries: readonly Entry[], baseUrl: string): StoredEvidence {
  const texts = new Map(entries.map(({ _id, response: { content } }) => [_id, content.text]));
  return {
    exchanges: entries.map((entry) => ({
      id: entry._id,
      key: entry._key,
      exchange: exchangeIn(entry, baseUrl, texts),
    })),
    uses: entries
      .flatMap(({ _id: id, _uses }) => _uses.map((use) => ({ ...use, id })))
      .sort((one, other) => one.order - other.order)
      .map(({ order, ...use }) => use),
  };
}

function exchangeIn(
  { request, response, startedDateTime, time, ...own }: Entry,
  baseUrl: string,
  texts: ReadonlyMap<string, string | undefined>,
): Exchange {
  const pairs = (headers: readonly HarHeader[]): Headers => headers.map(({ name, value }) => [name, value] as const);
  const startedAt = Date.parse(startedDateTime);
  const common = {
    request: {
      method: request.method,
      path: request.url.slice(baseUrl.length),
      headers: pairs(request.headers),
      ...omitUndefined({ body: request.postData?.text, sent: own._sent, again: own._again }),
    },
    ...omitUndefined({
      attempts: own._attempts,
      timing: startedAt === untimed.startedAt ? undefined : { startedAt, durationMs: time },
    }),
  };
  if (own._error !== undefined) return { ...common, transportError: own._error.kind, message: own._error.message };
  const { text, _text_of, _omitted } = response.content;
  if (_omitted) return { ...common, transportError: 'not-sent', message: 'The evidence leaves this body out.' };
  const body = text ?? (_text_of === undefined ? undefined : texts.get(_text_of)) ?? '';
  return { ...common, response: { status: response.status, headers: pairs(response.headers), body } };
}
