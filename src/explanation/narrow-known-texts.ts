/**
 * Finds out whether texts that the test data has are right, and texts that it has not are wrong: a shorter text would hide this.
 * In: a wrong request in parts, one of which makes the difference. Out: a text of each kind, and the others that were tried. Pure
 * (see `symptom-inquiry.ts`).
 */

import { createNameLookup } from '../contract/describe-request.js';
import { parseFilterParameter } from '../contract/operation.js';
import type { TargetWorld } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { cacheByObject } from '../support/caches.js';
import { quoteText } from '../support/quote-text.js';
import { type ComponentContrast, listWrongOnlyComponents } from './narrow-components.js';
import { plainLetter } from './narrow-values.js';
import { createNarrowedContrast, type NarrowedFailure } from './narrowed-failure.js';
import {
  type DecomposedRequest,
  describeRequestComponent,
  type RequestComponent,
  replaceComponent,
} from './request-components.js';
import type { RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';

/** Words that no software knows: of one and of two words, short and long. */
const unknownTexts = ['quobble', 'zqx', 'wexling_quobble'] as const;
/** How many texts of the test data are tried. */
const maxKnown = 3;

/** A text of a part, and the part with another text in its place. */
interface KnownTextPlace {
  readonly is: 'key' | 'value';
  readonly known: readonly string[];
  readonly replace: (text: string) => RequestComponent;
}

export function* narrowKnownTexts(
  inquiry: SymptomInquiry,
  { compose }: DecomposedRequest,
  contrast: ComponentContrast,
): RequestGenerator<NarrowedFailure | undefined> {
  const { symptom, target } = inquiry;
  const [component, ...others] = listWrongOnlyComponents(contrast);
  if (symptom.kind === 'extra' || component === undefined || others.length > 0) return undefined;
  for (const place of listPlaces(component, target.world)) {
    const build = (text: string) => compose(replaceComponent(contrast.wrong, component, place.replace(text)));
    const narrowed = yield* compareTexts(inquiry, place, build);
    if (narrowed !== undefined) return narrowed;
  }
  return undefined;
}

function listPlaces(component: RequestComponent, world: TargetWorld): KnownTextPlace[] {
  const { keys, values, orderKeys, orderValues } = listKnownTexts(world);
  switch (component.kind) {
    case 'metadata':
      return [
        { is: 'key', known: keys, replace: (key) => ({ ...component, key, value: plainLetter }) },
        { is: 'value', known: values, replace: (value) => ({ ...component, value }) },
      ];
    case 'order-metadata':
      return [
        { is: 'key', known: [...orderKeys, ...keys], replace: (key) => ({ ...component, key, value: [plainLetter] }) },
        { is: 'value', known: [...orderValues, ...values], replace: (value) => ({ ...component, value: [value] }) },
      ];
    case 'parameter': {
      // What a filter by an unknown key finds is open.
      const subject = parseFilterParameter(component.name);
      if (subject?.on !== 'metadata') return [];
      const known = world.tiers.flatMap(({ metadata }) => metadata[subject.key] ?? []).map(String);
      return [{ is: 'value', known: chooseTexts(known), replace: (value) => ({ ...component, value }) }];
    }
    default:
      return [];
  }
}

const listKnownTexts = cacheByObject(({ tiers }: TargetWorld) => {
  const rules = tiers.flatMap((tier) => tier.rules);
  const ofMetadata = rules.filter((rule) => rule.kind === 'metadata');
  const ofOrder = rules.filter((rule) => rule.kind === 'order_metadata');
  return {
    keys: chooseTexts(ofMetadata.map(({ key }) => key)),
    values: chooseTexts(ofMetadata.map(({ is }) => is)),
    orderKeys: chooseTexts(ofOrder.map(({ key }) => key)),
    orderValues: chooseTexts(ofOrder.map(({ includes }) => includes)),
  };
});

/** Chooses words that say nothing but that they are known: a long one, a short one, and one between them. */
function chooseTexts(texts: readonly string[]): string[] {
  const plain = [...new Set(texts)].filter((text) => /^[a-z]+(?:_[a-z]+)*$/i.test(text) && text.length > 1);
  const sorted = plain.toSorted((left, right) => right.length - left.length);
  const places = [0, sorted.length - 1, Math.trunc(sorted.length / 2)];
  return [...new Set(places.flatMap((place) => sorted[place] ?? []))];
}

function* compareTexts(
  inquiry: SymptomInquiry,
  { is, known, replace }: KnownTextPlace,
  build: (text: string) => HttpRequest,
): RequestGenerator<NarrowedFailure | undefined> {
  const { symptom } = inquiry;
  const [unknown] = unknownTexts;
  const tried = known.slice(0, maxKnown);
  const [first] = tried;
  if (first === undefined || (yield* inquiry.ask(build(unknown))) !== 'wrong') return undefined;
  for (const text of tried) if ((yield* inquiry.ask(build(text))) !== 'right') return undefined;
  for (const text of unknownTexts) if ((yield* inquiry.ask(build(text))) !== 'wrong') return undefined;
  const nameOf = createNameLookup(inquiry.target.world);
  const narrowed = createNarrowedContrast(inquiry, {
    wrongly: build(unknown),
    rightly: build(first),
    wronglyWhen: `With ${describeRequestComponent(replace(unknown), nameOf)}`,
    rightlyWhen: `With ${describeRequestComponent(replace(first), nameOf)}`,
    part: `known-${is}`,
  });
  const list = (texts: readonly string[]) => texts.map(quoteText).join(', ');
  const [lost, found] = symptom.kind === 'refused' ? ['Refused', 'Accepted'] : ['Wrong', 'Right'];
  const summary = `${lost}: all tried ${is}s that the test data does not have (${list(unknownTexts)}). ${found}: all tried ${is}s that it has (${list(tried)}).`;
  return { ...narrowed, sentence: `${narrowed.sentence} ${summary}` };
}
