import { createModel, createWindowMistake, type StructuralMistake, refused } from '../../reference/model.js';
import type { Obligation } from '../contract/oracle.js';
import { getWindowSize, type Tier } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { remember } from '../support/caches.js';
import type { Asked, Observations } from './observation.js';
import { type Feature, isConcerned } from './request-features.js';

/** What may be wrong: a mistake or a refusal, perhaps of requests with a feature alone. */
export interface Hypothesis {
  readonly id: string;
  readonly mistake?: StructuralMistake;
  readonly refusedWith?: number;
  /** Several fit if no response distinguishes them. Empty if all requests are concerned. */
  readonly features: readonly Feature[];
}

export function isRefusal(hypotheses: readonly Hypothesis[], asked: Asked, status: number | undefined): boolean {
  return hypotheses.some(
    ({ refusedWith, features }) => refusedWith && refusedWith === status && isConcerned(asked, features),
  );
}

/** What a deployment is to return of one tier, by its position in the list of tiers. */
export type Prediction = (position: number) => Obligation;

export type ObservedRun = Observations & { readonly predict: ReturnType<typeof createPredictor> };

/** The documentation decides what no mistake changes, and what it leaves open stays open. */
export function createPredictor(facts: Pick<Observations, 'tiers' | 'world' | 'history' | 'outcomes'>) {
  const { tiers, world, history, outcomes } = facts;
  const startModel = createModel({ ...world, tiers }, outcomes);
  // Promotions of the deployment take places of the window.
  const ownWindow = createWindowMistake('', '', (all) => all.slice(0, getWindowSize(world)));
  const start = (mistakes: readonly StructuralMistake[]) =>
    startModel(world.ownPromotions === undefined ? mistakes : [ownWindow, ...mistakes]);
  const selectRightly = remember(start([]));
  const predictWith = (mistakes: readonly StructuralMistake[]) => {
    const hasState = mistakes.some((mistake) => mistake.hasState);
    const select = hasState ? selectInTurn(start(mistakes), history) : start(mistakes);
    return ({ request, documented }: Asked): Prediction => {
      if (mistakes.length === 0) return (position) => documented[position] ?? 'open';
      const selections = select(request);
      const predict = (position: number, stated: Obligation): Obligation => {
        const tier = tiers[position] as Tier;
        const predicted = selections.map((selected, reading): Obligation => {
          const changed = selected(tier) ? 'required' : 'forbidden';
          if (changed === stated && selected !== refused) return stated;
          const { [reading]: right } = selectRightly(request);
          // What a mistake does to a request that the target does not refuse is not known.
          if (selected === refused && right === refused) return 'open';
          return (changed === 'required') === right?.(tier) ? stated : changed;
        });
        return predicted.every((obligation) => obligation === predicted[0]) ? (predicted[0] ?? stated) : 'open';
      };
      const known: Obligation[] = [];
      return (position) => {
        const { [position]: stated = 'open' } = documented;
        if (stated !== 'open') known[position] ??= predict(position, stated);
        return known[position] ?? 'open';
      };
    };
  };
  return (hypotheses: readonly Hypothesis[]): ((asked: Asked) => Prediction) => {
    const predictors = new Map<string, ReturnType<typeof predictWith>>();
    return remember((asked) => {
      const mistakes = hypotheses.flatMap(({ mistake, features }) => (isConcerned(asked, features) && mistake) || []);
      const key = mistakes.map(({ id }) => id).join(' ');
      const predict = predictors.get(key) ?? predictWith(mistakes);
      predictors.set(key, predict);
      return predict(asked);
    });
  };
}

/** What a mistake about state does to a request depends on all requests before it. */
function selectInTurn<Found>(select: (request: HttpRequest) => Found, history: readonly HttpRequest[]): typeof select {
  const unread = new Set(history).values();
  const found = new Map<HttpRequest, Found>();
  return (request) => {
    while (!found.has(request)) {
      const { value: next = request } = unread.next();
      found.set(next, select(next));
    }
    return found.get(request) as Found;
  };
}
