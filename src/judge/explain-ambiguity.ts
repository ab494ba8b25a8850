import { createOracle } from '../contract/oracle.js';
import { createTierExplainer } from '../contract/tier-explainer.js';
import type { Exchange, HttpRequest } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import { matchesPatterns } from '../recognition/path-patterns.js';
import type { Recognizer } from '../recognition/recognizer.js';
import { isCatchAllPattern } from '../recognition/tier-mentions.js';
import type { NamedWorld } from '../world/named-world.js';
import type { Tier } from '../world/world.js';
import { renderStated } from './other-readings.js';

/** What one response names under one pattern. */
interface NamedUnder {
  readonly pattern: string;
  readonly request: HttpRequest;
  readonly named: readonly Tier[];
  readonly forbidden: readonly Tier[];
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
  const responses = exchanges.flatMap((exchange) => readResponse(exchange, patterns, world, recognizer));
  const namesSeveral = (response: readonly NamedUnder[]) => response.filter(({ named }) => named.length > 0).length > 1;
  const isTelling = (response: readonly NamedUnder[]) => response.some(({ forbidden }) => forbidden.length > 0);
  const several = responses.filter(namesSeveral);
  const shown = several.find(isTelling) ?? several[0];
  if (shown === undefined) return undefined;
  const fitting = patterns.filter((pattern) =>
    responses
      .flat()
      .every((each) => each.pattern !== pattern || (each.forbidden.length === 0 && each.missing.length === 0)),
  );
  const [first] = fitting;
  const advice =
    first === undefined
      ? 'None of them agrees with the documentation in all responses: whichever you state as response.tier in the target file, requirements fail.'
      : `Only ${fitting.join(' or ')} agrees with the documentation in all responses. If it lists the valid promotions, write in the target file: ${renderStated(first)}. With another path, a deployment that conforms fails.`;
  const others = patterns.length > maxShown ? `; ${patterns.length - maxShown} more paths` : '';
  return `Promotions are named under several paths, and the paths disagree. In one response: ${shown
    .slice(0, maxShown)
    .map((each) => describe(each, world))
    .join('; ')}${others}. ${advice}`;
}

function readResponse(
  exchange: Exchange,
  patterns: readonly string[],
  world: NamedWorld,
  recognizer: Recognizer,
): NamedUnder[][] {
  if (!('response' in exchange) || !isSuccessful(exchange.response)) return [];
  const { request, response } = exchange;
  const { returned } = createOracle(request, world);
  const { idsByPattern } = recognizer.findMentions(response.body);
  return [
    patterns.map((pattern) => {
      const found = [...idsByPattern].filter(([each]) => matchesPatterns(each, [pattern]));
      const ids = new Set(found.flatMap(([, each]) => each));
      const available = world.tiers.filter(({ id }) => !world.unavailable.has(id));
      const named = available.filter(({ id }) => ids.has(id));
      return {
        pattern,
        request,
        named,
        forbidden: named.filter((tier) => returned(tier) === 'forbidden'),
        missing: available.filter((tier) => !ids.has(tier.id) && returned(tier) === 'required'),
      };
    }),
  ];
}

function describe({ pattern, request, named, forbidden, missing }: NamedUnder, world: NamedWorld): string {
  const explain = createTierExplainer(request, world);
  const name = (tiers: readonly Tier[]) =>
    tiers.slice(0, 1).map((tier) => {
      const why = explain(tier);
      return `'${tier.name}'${why === '' ? '' : ` (${why})`}`;
    })[0];
  const wrong = forbidden.length === 0 ? 'none that is not valid' : `among them ${name(forbidden)}`;
  const absent = missing.length === 0 ? '' : `, and not ${name(missing)}, which is valid`;
  return `${pattern} names ${named.length} promotions, ${wrong}${absent}`;
}
