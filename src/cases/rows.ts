import { type Oracle, oracleFor } from '../contract/oracle.js';
import type { HttpRequest } from '../http/exchange.js';
import { suggest } from '../support/suggest.js';
import type { Path } from '../support/yaml-file.js';
import { combinations } from './combinations.js';
import type { FileReader } from './file-reader.js';
import { assembled, patched, type RequestDraft, type RequestPatch } from './request.js';
import { contradiction } from './sending.js';

/** The variants of an axis, by title; each changes the requests that it names, or `every` request. */
export type Axis = Readonly<Record<string, Readonly<Record<string, RequestPatch>>>>;

/** What of a case says what is sent. */
export interface SendingEntry {
  readonly request?: RequestPatch;
  readonly requests?: Readonly<Record<string, RequestPatch>>;
  /** By name; a text is the name of an axis that the file shares. */
  readonly matrix?: Readonly<Record<string, Axis | string>>;
}

/** A request of a row with what the documentation says of it. */
export interface PreparedRequest {
  readonly http: HttpRequest;
  readonly oracle: Oracle;
}

/** What a row sends, by name in the order of sending. */
export interface SentRow {
  readonly title: string;
  readonly requests: ReadonlyMap<string, PreparedRequest>;
}

/** What every case of a file shares for its rows. */
export interface RowBasis {
  readonly base: RequestDraft;
  readonly sharedRequests: Readonly<Record<string, RequestPatch>>;
  readonly axes: Readonly<Record<string, Axis>>;
}

/** Makes the function that reads the rows of a file's cases: equal requests are prepared once. */
export function rowReader(
  reader: FileReader,
  { base, sharedRequests, axes }: RowBasis,
): (entry: SendingEntry, at: Path) => SentRow[] {
  const prepared = new Map<string, PreparedRequest>();
  const prepare = (draft: RequestDraft): PreparedRequest => {
    const http = assembled(draft, reader.resolve);
    const key = JSON.stringify(http);
    const known = prepared.get(key) ?? { http, oracle: oracleFor(http, reader.world) };
    prepared.set(key, known);
    return known;
  };

  return (entry, at) => {
    const requests = [
      ...listed(sharedRequests, ['shared', 'requests']),
      ...(entry.request === undefined ? [] : [{ name: 'request', patch: entry.request, at: [...at, 'request'] }]),
      ...listed(entry.requests ?? {}, [...at, 'requests']),
    ];
    if (requests.length === 0) {
      reader.problem(at, 'the case sends nothing', "Add 'request: {}' to send the base request, or 'requests:'.");
      return [];
    }
    const names = requests.map(({ name }) => name);
    for (const { name, patch, at } of requests) {
      checkPatch(patch, at, reader);
      checkStart(patch.like, names.slice(0, names.indexOf(name)), [...at, 'like'], reader);
    }
    const matrix = readAxes(entry, at, names, axes, reader);
    return combinations(matrix.map(({ length }) => length)).map((row) => {
      const variants = row.map((place, n) => matrix[n]?.[place] as Variant);
      const drafts = new Map<string, RequestDraft>();
      for (const { name, patch } of requests) {
        const start = patch.like === undefined ? base : (drafts.get(patch.like) ?? base);
        const whole = variants.reduce(
          (request, { patches }) => patched(patched(request, patches.every ?? {}), patches[name] ?? {}),
          patched(start, patch),
        );
        drafts.set(name, whole);
      }
      return {
        title: variants.map(({ title }) => title).join(', '),
        requests: new Map([...drafts].map(([name, each]) => [name, prepare(each)])),
      };
    });
  };
}

/** Notes what is wrong with changes to a request, wherever they stand. */
export function checkPatch(
  { raw, query, filter, sent = [], ...patch }: RequestPatch,
  at: Path,
  reader: FileReader,
): void {
  if (raw !== undefined && 'body' in patch)
    reader.problem([...at, 'raw'], 'a request has either body or raw', 'Leave out one of them.');
  if (typeof query === 'string' && filter !== undefined)
    reader.problem([...at, 'filter'], 'a query that is written out has its filters in it', 'Leave out one of them.');
  const together = contradiction([sent].flat());
  if (together !== undefined)
    reader.problem([...at, 'sent'], `a request is not sent ${together.join(' and ')}`, 'Leave out one of them.');
  const campaigns = [...reader.world.ids.campaign.keys()];
  if (filter?.campaign === undefined || campaigns.includes(filter.campaign)) return;
  const message = `there is no campaign '${filter.campaign}' in the world`;
  reader.problem([...at, 'filter', 'campaign'], message, suggest(filter.campaign, campaigns));
}

/** @param earlier the requests that stand before the one that starts from another */
function checkStart(like: string | undefined, earlier: readonly string[], at: Path, reader: FileReader): void {
  if (like === undefined || earlier.includes(like)) return;
  reader.problem(at, `there is no earlier request '${like}'`, suggest(like, earlier));
}

interface Variant {
  readonly title: string;
  readonly patches: Readonly<Record<string, RequestPatch>>;
}

/** The axes of a case, each as its variants. */
function readAxes(
  { matrix = {} }: SendingEntry,
  at: Path,
  requests: readonly string[],
  shared: Readonly<Record<string, Axis>>,
  reader: FileReader,
): Variant[][] {
  return Object.entries(matrix).map(([name, stated]) => {
    const where: Path = typeof stated === 'string' ? ['axes', stated] : [...at, 'matrix', name];
    const axis = typeof stated === 'string' ? shared[stated] : stated;
    if (axis === undefined) {
      const message = `the file has no axis '${String(stated)}' under 'axes'`;
      reader.problem([...at, 'matrix', name], message, suggest(String(stated), Object.keys(shared)));
      return [{ title: '', patches: {} }];
    }
    return Object.entries(axis).map(([title, patches]) => {
      for (const [request, patch] of Object.entries(patches)) {
        checkPatch(patch, [...where, title, request], reader);
        if (request === 'every' || requests.includes(request)) continue;
        const hint = suggest(request, ['every', ...requests]);
        reader.keyProblem([...where, title, request], `there is no request '${request}'`, hint);
      }
      return { title, patches };
    });
  });
}

function listed(
  requests: Readonly<Record<string, RequestPatch>>,
  at: Path,
): { name: string; patch: RequestPatch; at: Path }[] {
  return Object.entries(requests).map(([name, patch]) => ({ name, patch, at: [...at, name] }));
}
