import { listSuccesses } from '../assertions/row-evidence.js';
import { createTierExplainer } from '../contract/describe-request.js';
import { listAvailableTiers, type NamedWorld } from '../contract/named-world.js';
import { createOracle } from '../contract/oracle.js';
import type { Tier } from '../contract/world.js';
import type { Exchange } from '../http/exchange.js';
import { matchesPatterns } from '../recognition/path-patterns.js';
import type { Recognizer } from '../recognition/recognizer.js';
import { catchAllPath } from '../recognition/walk-texts.js';
import { renderStated } from './other-readings.js';

const maxShown = 5;
/** The length of all patterns together, in characters. Nobody reads longer ones, and to compare them takes long. */
const maxPatterns = 10_000;

/** Explains patterns that name different tiers. Only one that agrees with the documentation in all responses is proposed. */
export function explainAmbiguity(
  patterns: readonly string[],
  exchanges: readonly Exchange[],
  { world, recognizer }: { readonly world: NamedWorld; readonly recognizer: Recognizer },
): string | undefined {
  if (patterns.includes(catchAllPath) || patterns.join('').length > maxPatterns) return undefined;
  const available = listAvailableTiers(world);
  const responses = listSuccesses(exchanges).map(({ request, response }) => {
    const { returned } = createOracle(request, world);
    const { idsByPattern } = recognizer.findMentions(response.body);
    const named = patterns.map((pattern) => {
      const matching = [...idsByPattern].filter(([found]) => matchesPatterns(found, [pattern]));
      const ids = new Set(matching.flatMap(([, found]) => found));
      return {
        pattern,
        count: available.filter(({ id }) => ids.has(id)).length,
        extra: available.find((tier) => ids.has(tier.id) && returned(tier) === 'forbidden'),
        missing: available.find((tier) => !ids.has(tier.id) && returned(tier) === 'required'),
      };
    });
    return { request, named };
  });
  const several = responses.filter(({ named }) => named.filter(({ count }) => count > 0).length > 1);
  const shown = several.find(({ named }) => named.some(({ extra }) => extra !== undefined)) ?? several[0];
  if (shown === undefined) return undefined;

  const explain = createTierExplainer(shown.request, world);
  const name = (tier: Tier) => `'${tier.name}'${explain(tier) === '' ? '' : ` (${explain(tier)})`}`;
  const descriptions = shown.named.slice(0, maxShown).map(({ pattern, count, extra, missing }) => {
    const wrong = extra === undefined ? 'none that is not valid' : `among them ${name(extra)}`;
    const absent = missing === undefined ? '' : `, and not ${name(missing)}, which is valid`;
    return `${pattern} names ${count} promotions, ${wrong}${absent}`;
  });
  if (patterns.length > maxShown) descriptions.push(`${patterns.length - maxShown} more paths`);
  const fitting = patterns.filter((_, n) =>
    responses.every(({ named }) => named[n]?.extra === undefined && named[n]?.missing === undefined),
  );
  const advice =
    fitting[0] === undefined
      ? 'None of them agrees with the documentation in all responses: whichever you state as response.tier in the target file, requirements fail.'
      : `Only ${fitting.join(' or ')} agrees with the documentation in all responses. If it lists the valid promotions, write in the target file: ${renderStated(fitting[0])}. With another path, a deployment that conforms fails.`;
  return `Promotions are named under several paths, and the paths disagree. In one response: ${descriptions.join('; ')}. ${advice}`;
}
