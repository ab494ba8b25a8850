import { createModel, createWindowMistake, type Mistake, refused } from '../../../reference/model.js';
import type { Obligation } from '../../contract/oracle.js';
import { getWindowSize, type Tier } from '../../contract/world.js';
import type { HttpRequest } from '../../http/exchange.js';
import { remember } from '../../support/caches.js';
import type { Asked, Observations } from './observation.js';
import { type Feature, isConcerned } from './request-features.js';

/** What may be wrong: a mistake or a refusal, perhaps of requests with a feature alone. */
export interface Hypothesis {
  readonly id: string;
  readonly mistake?: Mistake;
  readonly refusedWith?: number;
  /** Several fit if no response distinguishes them. Empty if all requests are concerned. */
  readonly features: readonly Feature[];
}

export function isRefusal(hypotheses: readonly Hypothesis[], asked: Asked, status: number | undefined): boolean {
  const refusals = hypotheses.filter(({ refusedWith }) => refusedWith !== undefined && refusedWith === status);
  return refusals.some(({ features }) => isConcerned(asked, features));
}

/** What a deployment is to return of one tier, by its position in the list of tiers. */
export type Prediction = (position: number) => Obligation;

export interface ObservedRun extends Observations {
  readonly predict: ReturnType<typeof createPredictor>;
}

/** The documentation decides what no mistake changes, and what it leaves open stays open. */
export function createPredictor(facts: Pick<Observations, 'tiers' | 'world' | 'history' | 'outcomes'>) {
  const { tiers, world, history, outcomes } = facts;
  const startModel = createModel({ ...world, tiers }, outcomes);
  // Promotions of the deployment take places of the window.
  const ownWindow = createWindowMistake('', '', (all) => all.slice(0, getWindowSize(world)));
  const start = (mistakes: readonly Mistake[]) =>
    remember(startModel(world.ownPromotions === undefined ? mistakes : [ownWindow, ...mistakes]));
  const selectRightly = start([]);
  const predictWith = (mistakes: readonly Mistake[]) => {
    const select = start(mistakes);
    // What a mistake about state does to a request depends on all requests before it.
    const unread = new Set(mistakes.some(({ hasState }) => hasState) ? history : []);
    const predict = (request: HttpRequest, position: number, stated: Obligation): Obligation => {
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
    return ({ request, documented }: Asked): Prediction => {
      if (unread.has(request))
        for (const sent of unread) {
          select(sent);
          unread.delete(sent);
          if (sent === request) break;
        }
      const known: Obligation[] = [];
      return (position) => {
        known[position] ??= predict(request, position, documented[position] ?? 'open');
        return known[position];
      };
    };
  };
  return (hypotheses: readonly Hypothesis[]): ((asked: Asked) => Prediction) => {
    const predictors = new Map<string, ReturnType<typeof predictWith>>();
    return remember((asked) => {
      const concerned = hypotheses.filter(({ features }) => isConcerned(asked, features));
      const mistakes = concerned.flatMap(({ mistake }) => mistake ?? []);
      const key = mistakes.map(({ id }) => id).join(' ');
      const predict = predictors.get(key) ?? predictWith(mistakes);
      predictors.set(key, predict);
      return predict(asked);
    });
  };
}
