import { createModel, type Mistake, refused, type Selections } from '../../../reference/model.js';
import type { NamedWorld } from '../../contract/named-world.js';
import type { Obligation } from '../../contract/oracle.js';
import type { Tier } from '../../contract/world.js';
import type { Exchange, HttpRequest } from '../../http/exchange.js';
import { remember } from '../../support/compute-once.js';
import type { Observation, Observations } from './observation.js';

/** What a deployment is to return of one tier, by its position in the list of tiers. */
export type Prediction = (position: number) => Obligation;

/** A request, with what the documentation says of it. */
export interface Asked extends Pick<Observation, 'oracle'> {
  readonly exchange: Pick<Exchange, 'request'>;
}

/** Predicts results of deployments with mistakes. */
export type Predictor = ReturnType<typeof createPredictor>;

/**
 * Creates a predictor. A mistake decides what differs from the reference deployment without it; the documentation decides
 * the rest, and what it leaves open stays open.
 */
export function createPredictor({
  tiers,
  world,
  history,
  outcomes,
}: Pick<Observations, 'tiers' | 'world' | 'history' | 'outcomes'>) {
  const start = createModel({ ...world, tiers: [...createForeignTiers(world), ...tiers] }, outcomes);
  const selectRightly = remember(start([]));
  const getDocumented = remember((_: Asked): Obligation[] => []);
  const selectWith = (mistakes: readonly Mistake[]): ((request: HttpRequest) => Selections) => {
    const select = start(mistakes);
    if (!mistakes.some(({ hasState }) => hasState)) return remember(select);
    // What it does to a request depends on all requests before it.
    const known = new Map<HttpRequest, Selections>();
    const unread = history.values();
    return (request) => {
      for (const sent of known.has(request) ? [] : unread) {
        if (!known.has(sent)) known.set(sent, select(sent));
        if (sent === request) break;
      }
      return known.get(request) ?? [];
    };
  };
  return {
    /** @returns predicts the result of each request; nothing is computed until it is asked for */
    predictWith(mistakes: readonly Mistake[]): (asked: Asked) => Prediction {
      const select = mistakes.length === 0 ? selectRightly : selectWith(mistakes);
      return remember((asked: Asked): Prediction => {
        const { exchange, oracle } = asked;
        const documented = getDocumented(asked);
        const known: Obligation[] = [];
        const predict = (n: number): Obligation => {
          const tier = tiers[n] as Tier;
          documented[n] ??= oracle.returned(tier);
          const stated = documented[n];
          if (stated === 'open' || mistakes.length === 0) return stated;
          const right = selectRightly(exchange.request);
          const predicted = select(exchange.request).map((selected, reading): Obligation => {
            // What a mistake does to a request that the target does not refuse is not known.
            if (selected === refused && right[reading] === refused) return 'open';
            const isSelected = selected(tier);
            if (isSelected === right[reading]?.(tier)) return stated;
            return isSelected ? 'required' : 'forbidden';
          });
          return predicted.every((obligation) => obligation === predicted[0]) ? (predicted[0] ?? stated) : 'open';
        };
        return (n) => {
          known[n] ??= predict(n);
          return known[n];
        };
      });
    },
  };
}

/** Promotions of the deployment that take places of the window, and that no request gets. */
function createForeignTiers({ ownPromotions = 0 }: NamedWorld): Tier[] {
  return Array.from({ length: ownPromotions }, (_, n) => ({
    id: `foreign-${n}`,
    campaign_id: '',
    name: '',
    created_at: new Date(Date.UTC(9000, 0, 1, 0, 0, n)).toISOString(),
    metadata: {},
    rules: [{ kind: 'customer', any_of: [] }],
  }));
}
