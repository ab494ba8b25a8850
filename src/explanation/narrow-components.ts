/**
 * Narrows a wrong request by leaving parts out. In: a request in parts, and a symptom. Out: the smallest request that has the
 * symptom, and the nearest one that has not. Pure (see `symptom-inquiry.ts`).
 */

import type { DecomposedRequest, RequestComponent } from './request-components.js';
import type { RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';

/** Two lists of parts. What only the wrong one has makes the difference, if there is a right one. */
export interface ComponentContrast {
  readonly wrong: readonly RequestComponent[];
  readonly right: readonly RequestComponent[] | undefined;
}

/** Lists the parts that only the wrong request has: all of them if there is no right one. */
export function listWrongOnlyComponents({ wrong, right = [] }: ComponentContrast): RequestComponent[] {
  return wrong.filter((component) => !right.includes(component));
}

/** Narrows a request that, written plainly, has the symptom as a whole. */
export function* narrowComponents(
  inquiry: SymptomInquiry,
  { components, compose }: DecomposedRequest,
): RequestGenerator<ComponentContrast> {
  const core = findCore(components, (kept) => inquiry.isWorthAsking(compose(kept)));
  const answer = yield* inquiry.ask(compose(core));
  if (answer === 'wrong') return { wrong: core, right: undefined };
  if (answer !== 'right') return { wrong: components, right: undefined };
  const isolated = yield* isolate(inquiry, compose, core, components);
  const differing = listWrongOnlyComponents(isolated);
  const smallest = components.filter((component) => core.includes(component) || differing.includes(component));
  const isSmallestWrong = (yield* inquiry.ask(compose(smallest))) === 'wrong';
  return isSmallestWrong ? { wrong: smallest, right: core } : isolated;
}

/** Leaves out what the documentation does not need to call the symptom wrong. Nothing is sent. */
function findCore(
  components: readonly RequestComponent[],
  isEnough: (kept: readonly RequestComponent[]) => boolean,
): readonly RequestComponent[] {
  let kept = components;
  // In large steps first: an order may have hundreds of parts.
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < kept.length; ) {
      const shorter = [...kept.slice(0, start), ...kept.slice(start + size)];
      if (isEnough(shorter)) kept = shorter;
      else start += size;
    }
  }
  return kept;
}

/** Moves a right and a wrong request towards each other, half of their difference at a time (delta debugging, Zeller 2002). */
function* isolate(
  inquiry: SymptomInquiry,
  compose: DecomposedRequest['compose'],
  right: readonly RequestComponent[],
  wrong: readonly RequestComponent[],
): RequestGenerator<{ readonly wrong: readonly RequestComponent[]; readonly right: readonly RequestComponent[] }> {
  const difference = listWrongOnlyComponents({ wrong, right });
  if (difference.length <= 1) return { right, wrong };
  const middle = Math.ceil(difference.length / 2);
  for (const half of [difference.slice(0, middle), difference.slice(middle)]) {
    const between = wrong.filter((component) => right.includes(component) || half.includes(component));
    const answer = yield* inquiry.ask(compose(between));
    if (answer === 'wrong') return yield* isolate(inquiry, compose, right, between);
    if (answer === 'right') return yield* isolate(inquiry, compose, between, wrong);
  }
  return { right, wrong };
}
