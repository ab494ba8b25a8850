import { type AnsweredExchange, listSuccesses } from '../assertions/row-evidence.js';
import { createTierExplainer } from '../contract/describe-request.js';
import { listAvailableTiers, type NamedWorld } from '../contract/named-world.js';
import { createOracle, type Obligation } from '../contract/oracle.js';
import type { Tier } from '../contract/world.js';
import type { Exchange, HttpRequest } from '../http/exchange.js';
import { matchesPatterns } from '../recognition/path-patterns.js';
import type { Recognizer } from '../recognition/recognizer.js';
import { isCatchAllPattern } from '../recognition/tier-mentions.js';
import { renderStated } from './other-readings.js';

/** What one response names under one pattern. */
interface NamedUnder {
  readonly pattern: string;
  readonly request: HttpRequest;
  readonly count: number;
  readonly extra: readonly Tier[];
  readonly missing: readonly Tier[];
}

/** The number of patterns in the explanation. */
const maxShown = 5;
/** The length of all patterns together, in characters. Nobody reads longer ones, and to compare them takes long. */
const maxPatterns = 10_000;

/**
 * Explains patterns that name different tiers: what each names for one request, and which of them agrees with the
 * documentation for all requests. Only such a pattern is proposed for the target file.
 *
 * @returns undefined if no response names tiers under several patterns that can be told apart
 */
export function explainAmbiguity(
  patterns: readonly string[],
  exchanges: readonly Exchange[],
  { world, recognizer }: { readonly world: NamedWorld; readonly recognizer: Recognizer },
): string | undefined {
  if (patterns.some(isCatchAllPattern) || patterns.join('').length > maxPatterns) return undefined;
  const responses = listSuccesses(exchanges).map((exchange) => readResponse(exchange, patterns, world, recognizer));
  const several = responses.filter((response) => response.filter(({ count }) => count > 0).length > 1);
  const shown = several.find((response) => response.some(({ extra }) => extra.length > 0)) ?? several[0];
  if (shown === undefined) return undefined;
  const fitting = patterns.filter((_, n) =>
    responses.every((response) => response[n]?.extra.length === 0 && response[n].missing.length === 0),
  );
  const [first] = fitting;
  const advice =
    first === undefined
      ? 'None of them agrees with the documentation in all responses: whichever you state as response.tier in the target file, requirements fail.'
      : `Only ${fitting.join(' or ')} agrees with the documentation in all responses. If it lists the valid promotions, write in the target file: ${renderStated(first)}. With another path, a deployment that conforms fails.`;
  const others = patterns.length > maxShown ? `; ${patterns.length - maxShown} more paths` : '';
  return `Promotions are named under several paths, and the paths disagree. In one response: ${shown
    .slice(0, maxShown)
    .map((named) => describe(named, world))
    .join('; ')}${others}. ${advice}`;
}

function readResponse(
  { request, response }: AnsweredExchange,
  patterns: readonly string[],
  world: NamedWorld,
  recognizer: Recognizer,
): NamedUnder[] {
  const { idsByPattern } = recognizer.findMentions(response.body);
  const { returned } = createOracle(request, world);
  const available = listAvailableTiers(world);
  return patterns.map((pattern) => {
    const named = [...idsByPattern].flatMap(([found, ids]) => (matchesPatterns(found, [pattern]) ? ids : []));
    const ids = new Set(named);
    const list = (isNamed: boolean, obligation: Obligation) =>
      available.filter((tier) => ids.has(tier.id) === isNamed && returned(tier) === obligation);
    const count = available.filter(({ id }) => ids.has(id)).length;
    return { pattern, request, count, extra: list(true, 'forbidden'), missing: list(false, 'required') };
  });
}

function describe({ pattern, request, count, extra, missing }: NamedUnder, world: NamedWorld): string {
  const explain = createTierExplainer(request, world);
  const name = (tier: Tier) => `'${tier.name}'${explain(tier) === '' ? '' : ` (${explain(tier)})`}`;
  const wrong = extra[0] === undefined ? 'none that is not valid' : `among them ${name(extra[0])}`;
  const absent = missing[0] === undefined ? '' : `, and not ${name(missing[0])}, which is valid`;
  return `${pattern} names ${count} promotions, ${wrong}${absent}`;
}
