import type { AnsweredExchange } from '../../src/assertions/row-evidence.js';
import type { TargetWorld } from '../../src/contract/world.js';
import type { HttpResponse } from '../../src/http/exchange.js';
import type { TargetContext } from '../../src/judge/collect-row-evidence.js';
import { judgeExchanges } from '../../src/judge/judge-exchange.js';
import type { Recognizer } from '../../src/recognition/recognizer.js';

/** How many exchanges show where the responses of the right deployment name promotions. */
const calibrating = 40;
/** How many differing exchanges are judged at once. Most mistakes show in the first ones. */
const judgedAtOnce = 20;

/**
 * Finds an exchange that contradicts the documentation, among those whose response is another one than that of the right
 * deployment. A mistake without one is not visible: no documented request of the comparison shows it.
 */
export function findVisibleMistake(
  right: readonly AnsweredExchange[],
  mistaken: readonly (HttpResponse | undefined)[],
  world: TargetWorld,
  recognizer: Recognizer,
): AnsweredExchange | undefined {
  const calibration = right.filter(({ request }) => !request.path.includes('?')).slice(0, calibrating);
  const target: TargetContext = { world, recognizer, calibration, isWorldSeen: true };
  const isSame = (response: HttpResponse, other: HttpResponse) =>
    other.status === response.status && other.body === response.body;
  const answered = right.flatMap(({ request, response }, n) => {
    const other = mistaken[n];
    return other === undefined ? [] : [{ exchange: { request, response: other }, isRight: isSame(response, other) }];
  });
  const differing = answered.flatMap(({ exchange, isRight }) => (isRight ? [] : exchange));
  // Right responses of the same deployment show how it reads filters.
  const companions = answered.flatMap(({ exchange, isRight }) => (isRight ? exchange : [])).slice(0, calibrating);
  for (let start = 0; start < differing.length; start += judgedAtOnce) {
    const batch = differing.slice(start, start + judgedAtOnce);
    const judged = judgeExchanges([...batch, ...companions], target);
    const at = judged.slice(0, batch.length).findIndex(({ verdict }) => verdict === 'fail');
    if (at >= 0) return batch[at];
  }
  return undefined;
}
