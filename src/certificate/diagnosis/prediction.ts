import { createModel, createWindowMistake, type Mistake, refused, type Selections } from '../../../reference/model.js';
import type { Obligation } from '../../contract/oracle.js';
import { getWindowSize, type Tier } from '../../contract/world.js';
import type { HttpRequest } from '../../http/exchange.js';
import { remember } from '../../support/caches.js';
import type { Asked, Observations } from './observation.js';
import { type Feature, isConcerned } from './request-features.js';

/** A mistake, perhaps of requests with a feature alone. Several features fit if no response distinguishes them. */
export interface Hypothesis {
  readonly mistake: Mistake;
  readonly features: readonly Feature[];
}

/** What a deployment is to return of one tier, by its position in the list of tiers. */
export type Prediction = (position: number) => Obligation;

export interface ObservedRun extends Observations {
  readonly predict: ReturnType<typeof createPredictor>;
}

/** The documentation decides what no mistake changes, and what it leaves open stays open. */
export function createPredictor({
  tiers,
  world,
  history,
  outcomes,
}: Pick<Observations, 'tiers' | 'world' | 'history' | 'outcomes'>) {
  const startModel = createModel({ ...world, tiers }, outcomes);
  // Promotions of the deployment take places of the window.
  const ownWindow = createWindowMistake('', '', (all) => all.slice(0, getWindowSize(world)));
  const start = (mistakes: readonly Mistake[]) =>
    startModel(world.ownPromotions === undefined ? mistakes : [ownWindow, ...mistakes]);
  const selectRightly = remember(start([]));
  const selectWith = (mistakes: readonly Mistake[]): ((request: HttpRequest) => Selections) => {
    const select = remember(start(mistakes));
    // What a mistake about state does to a request depends on all requests before it.
    const unread = (mistakes.some(({ hasState }) => hasState) ? history : []).values();
    const read = new Set<HttpRequest>();
    return (request) => {
      if (!read.has(request))
        for (const sent of unread) {
          select(sent);
          read.add(sent);
          if (sent === request) break;
        }
      return select(request);
    };
  };
  const predictWith = (mistakes: readonly Mistake[]) => {
    const select = selectWith(mistakes);
    return remember(({ request, documented }: Asked): Prediction => {
      const known: Obligation[] = [];
      const predict = (position: number): Obligation => {
        const stated = documented[position] ?? 'open';
        if (stated === 'open' || mistakes.length === 0) return stated;
        const tier = tiers[position] as Tier;
        const right = selectRightly(request);
        const predicted = select(request).map((selected, reading): Obligation => {
          // What a mistake does to a request that the target does not refuse is not known.
          if (selected === refused && right[reading] === refused) return 'open';
          const isSelected = selected(tier);
          if (isSelected === right[reading]?.(tier)) return stated;
          return isSelected ? 'required' : 'forbidden';
        });
        return predicted.every((obligation) => obligation === predicted[0]) ? (predicted[0] ?? stated) : 'open';
      };
      return (position) => {
        known[position] ??= predict(position);
        return known[position];
      };
    });
  };
  return (hypotheses: readonly Hypothesis[]): ((asked: Asked) => Prediction) => {
    const predictors = new Map<string, ReturnType<typeof predictWith>>();
    return (asked) => {
      const concerned = hypotheses.filter(({ features }) => isConcerned(asked, features));
      const key = concerned.map(({ mistake }) => mistake.id).join(' ');
      const predict = predictors.get(key) ?? predictWith(concerned.map(({ mistake }) => mistake));
      predictors.set(key, predict);
      return predict(asked);
    };
  };
}
