/**
 * Finds out which order of the members of a body makes a difference. In: two bodies with the same content, one wrong and one
 * right. Out: one member, and those that it stands before. Pure (see `symptom-inquiry.ts`).
 */

import { applyEquivalentForms } from '../cases/equivalent-request-forms.js';
import type { HttpRequest } from '../http/exchange.js';
import { renderShortList } from '../support/collections.js';
import { isJsonObject, parseJson } from '../support/json.js';
import { createNarrowedContrast, type NarrowedFailure } from './narrowed-failure.js';
import type { RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';

/** Two requests whose bodies differ in the order of members alone. */
interface OrderedPair {
  readonly wrongly: HttpRequest;
  readonly rightly: HttpRequest;
}

/** Where members stand in a body. The objects of an array are one place: `order/items/*`. */
type Place = string;

/** How each place is called. */
const namesOfPlaces: Readonly<Record<Place, string>> = {
  '': 'the body',
  '/customer': 'the customer',
  '/order': 'the order',
  '/order/items/*': 'the item',
  '/order/metadata': 'order.metadata',
  '/options': 'the options',
  '/metadata': 'the metadata',
};

/** Moves one member after another from its place in the right body to its place in the wrong one. */
export function* narrowMemberOrder(
  inquiry: SymptomInquiry,
  { wrongly, rightly }: OrderedPair,
): RequestGenerator<NarrowedFailure | undefined> {
  const [wrong, right] = [wrongly, rightly].map(({ body = '' }) => parseJson(body));
  for (const place of listPlaces(wrong, right)) {
    const build = (count: number): HttpRequest =>
      count === 0 ? rightly : { ...rightly, body: JSON.stringify(reorder(right, wrong, { place, count })) };
    const names = findNames(wrong, place);
    if ((yield* inquiry.ask(build(names.length))) !== 'wrong') continue;
    for (const [before, name] of names.entries()) {
      const moved = build(before + 1);
      if (JSON.stringify(moved) === JSON.stringify(build(before)) || (yield* inquiry.ask(moved)) !== 'wrong') continue;
      const after = listOvertaken(findNames(parseJson(build(before).body ?? ''), place), before, name);
      return describeMove(inquiry, { wrongly: moved, rightly: build(before) }, { place, name, after });
    }
  }
  return undefined;
}

/** Finds out whether a plain request is right if the members of all objects stand in reverse order. */
export function* narrowPlainMemberOrder(
  inquiry: SymptomInquiry,
  wrongly: HttpRequest,
): RequestGenerator<NarrowedFailure | undefined> {
  const rightly = applyEquivalentForms(wrongly, ['members-reversed']);
  if (rightly.body === wrongly.body || (yield* inquiry.ask(rightly)) !== 'right') return undefined;
  return yield* narrowMemberOrder(inquiry, { wrongly, rightly });
}

/** Lists the places at which two values with the same content have their members in different orders. */
function listPlaces(wrong: unknown, right: unknown, place: Place = ''): Place[] {
  if (Array.isArray(wrong) && Array.isArray(right))
    return [...new Set(wrong.flatMap((value, n) => listPlaces(value, right[n], `${place}/*`)))];
  if (!isJsonObject(wrong) || !isJsonObject(right)) return [];
  const [names, ofRight] = [Object.keys(wrong), Object.keys(right)];
  const here = names.join() === ofRight.join() ? [] : [place];
  return [...here, ...names.flatMap((name) => listPlaces(wrong[name], right[name], `${place}/${name}`))];
}

/** Lists the names of the members at a place, of the first object there. */
function findNames(body: unknown, place: Place): string[] {
  const found = place
    .split('/')
    .slice(1)
    .reduce((value: unknown, name) => {
      if (name === '*') return Array.isArray(value) ? value[0] : undefined;
      return isJsonObject(value) ? value[name] : undefined;
    }, body);
  return isJsonObject(found) ? Object.keys(found) : [];
}

/** Writes a number of members first at one place, in the order in which another value has them. */
function reorder(
  value: unknown,
  as: unknown,
  first: { readonly place: Place; readonly count: number },
  place: Place = '',
): unknown {
  if (Array.isArray(value))
    return value.map((part, n) => reorder(part, Array.isArray(as) ? as[n] : undefined, first, `${place}/*`));
  if (!isJsonObject(value) || !isJsonObject(as)) return value;
  const moved = place === first.place ? Object.keys(as).slice(0, first.count) : [];
  const names = [...moved, ...Object.keys(value).filter((name) => !moved.includes(name))];
  return Object.fromEntries(names.map((name) => [name, reorder(value[name], as[name], first, `${place}/${name}`)]));
}

/** Lists the names that stand before a member until it is moved to a position. */
function listOvertaken(names: readonly string[], position: number, name: string): string[] {
  return names.slice(position, names.indexOf(name));
}

function describeMove(
  inquiry: SymptomInquiry,
  pair: OrderedPair,
  { place, name, after }: { readonly place: Place; readonly name: string; readonly after: readonly string[] },
): NarrowedFailure {
  const [first = '', ...more] = after;
  const words = `With ${name} before ${renderShortList(after)} in ${namesOfPlaces[place] ?? place.slice(1)}`;
  return createNarrowedContrast(inquiry, {
    ...pair,
    wronglyWhen: words,
    rightlyWhen: more.length === 0 ? `With ${first} before ${name}` : `With ${name} after them`,
    shape: `form: ${words}`,
  });
}
