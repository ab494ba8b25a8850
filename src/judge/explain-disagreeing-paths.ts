import { type AnsweredExchange, listSuccesses, type RowEvidence } from '../assertions/row-evidence.js';
import { createObligationExplainer } from '../contract/describe-request.js';
import { createOracle } from '../contract/oracle.js';
import { listAvailableTiers, type Tier } from '../contract/world.js';
import type { Exchange, HttpRequest } from '../http/exchange.js';
import { matchesPathPatterns } from '../recognition/path-patterns.js';
import { catchAllPath } from '../recognition/walk-texts.js';
import { createReason, type Reason } from '../support/reason.js';
import { renderTargetFileResponse } from './other-readings.js';

/** The length of all patterns together, in characters. Nobody reads longer ones, and to compare them takes long. */
const maxPatterns = 10_000;

/** What one path names in one response, by what the documentation says of it. */
interface NamedByPath {
  readonly pattern: string;
  readonly ids: ReadonlySet<string>;
  /** The number of tiers that it names. */
  readonly count: number;
  /** The first one that must not be returned. */
  readonly extra: Tier | undefined;
  /** The first one that must be returned, and is not named. */
  readonly missing: Tier | undefined;
}

/** Explains patterns that name different tiers, and proposes the line that agrees best with the documentation. */
export function explainDisagreeingPaths(
  patterns: readonly string[],
  exchanges: readonly Exchange[],
  target: Pick<RowEvidence, 'world' | 'recognizer'>,
): Reason | undefined {
  if (patterns.includes(catchAllPath) || patterns.join('').length > maxPatterns) return undefined;
  const responses = listSuccesses(exchanges).map((exchange) => ({
    request: exchange.request,
    named: readPaths(patterns, exchange, target),
  }));
  const several = responses.filter(({ named }) => named.filter(({ count }) => count > 0).length > 1);
  const shown = several.find(({ named }) => named.some(({ extra }) => extra !== undefined)) ?? several[0];
  if (shown === undefined) return undefined;

  const explain = createObligationExplainer(shown.request, target.world);
  const name = (tier: Tier | undefined) =>
    tier === undefined ? '' : createReason('named-tier', { name: tier.name, why: explain(tier) });
  const paths = shown.named.map(({ pattern: path, count, extra, missing }) =>
    createReason('path', { path, count, extra: name(extra), missing: name(missing) }),
  );
  const fitting = findFittingPaths(patterns, responses, target);
  const stated = renderTargetFileResponse(fitting[0] ?? findNearestPath(patterns, responses));
  return createReason('paths-compared', {
    paths,
    fitting: fitting.map((path) => [path].flat().join(' and ')).join(' or '),
    stated,
  });
}

type ReadPaths = readonly { readonly request: HttpRequest; readonly named: readonly NamedByPath[] }[];

function readPaths(
  patterns: readonly string[],
  { request, response }: AnsweredExchange,
  { world, recognizer }: Pick<RowEvidence, 'world' | 'recognizer'>,
): NamedByPath[] {
  const available = listAvailableTiers(world);
  const { returned } = createOracle(request, world);
  const { idsByPattern } = recognizer.findMentions(response.body);
  return patterns.map((pattern) => {
    const matching = [...idsByPattern].filter(([found]) => matchesPathPatterns(found, [pattern]));
    const ids = new Set(matching.flatMap(([, found]) => found));
    const inside = available.filter(({ id }) => ids.has(id));
    const extra = inside.find((tier) => returned(tier) === 'forbidden');
    const missing = available.find((tier) => !ids.has(tier.id) && returned(tier) === 'required');
    return { pattern, ids, count: inside.length, extra, missing };
  });
}

/** Finds the paths that agree with the documentation in all responses. If none does, those that agree together. */
function findFittingPaths(
  patterns: readonly string[],
  responses: ReadPaths,
  { world }: Pick<RowEvidence, 'world'>,
): (string | readonly string[])[] {
  const isFitting = (n: number) => responses.every(({ named }) => isRight(named[n]));
  const fitting = patterns.filter((_, n) => isFitting(n));
  if (fitting.length > 0) return fitting;
  const parts = patterns.filter((_, n) => responses.every(({ named }) => named[n]?.extra === undefined));
  const isWhole = responses.every(({ request, named }) => {
    const { returned } = createOracle(request, world);
    const ofParts = named.filter(({ pattern }) => parts.includes(pattern));
    return listAvailableTiers(world).every(
      (tier) => returned(tier) !== 'required' || ofParts.some(({ ids }) => ids.has(tier.id)),
    );
  });
  return parts.length > 0 && isWhole ? [parts] : [];
}

/** Finds the path that agrees with the documentation in the most responses. */
function findNearestPath(patterns: readonly string[], responses: ReadPaths): string | undefined {
  const agreements = patterns.map((_, n) => responses.filter(({ named }) => isRight(named[n])).length);
  const names = patterns.map((_, n) => responses.reduce((sum, { named }) => sum + (named[n]?.count ?? 0), 0));
  const order = [...patterns.keys()].sort(
    (a, b) => (agreements[b] ?? 0) - (agreements[a] ?? 0) || (names[b] ?? 0) - (names[a] ?? 0),
  );
  return patterns[order[0] ?? 0];
}

/** Whether what a path names in a response agrees with the documentation. */
function isRight(named: NamedByPath | undefined): boolean {
  return named?.extra === undefined && named?.missing === undefined;
}
