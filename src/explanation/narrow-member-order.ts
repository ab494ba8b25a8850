/**
 * Finds out which order of the members of a body makes a difference. In: two bodies with the same content, one wrong and one
 * right. Out: one member, and those that it stands before. Pure (see `symptom-inquiry.ts`).
 */

import { applyEquivalentForms } from '../cases/equivalent-request-forms.js';
import type { HttpRequest } from '../http/exchange.js';
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
    const build = (first: readonly string[]): HttpRequest => ({
      ...rightly,
      body: JSON.stringify(reorder(right, { place, first })),
    });
    const names = findNames(wrong, place);
    if ((yield* inquiry.ask(build(names))) !== 'wrong') continue;
    for (const [position, name] of names.entries()) {
      const before = names.slice(0, position);
      if ((yield* inquiry.ask(build([...before, name]))) !== 'wrong') continue;
      const others = findNames(right, place).filter((other) => !before.includes(other));
      const overtaken = others.slice(0, others.indexOf(name));
      return yield* narrowMove(inquiry, { place, before, name, overtaken }, build);
    }
  }
  return undefined;
}

/** A member that stands before others, and those that stand before it all the same. */
interface MemberMove {
  readonly place: Place;
  readonly before: readonly string[];
  readonly name: string;
  readonly overtaken: readonly string[];
}

/** Moves a member past one other at a time: past which one decides. */
function* narrowMove(
  inquiry: SymptomInquiry,
  { place, before, name, overtaken }: MemberMove,
  build: (first: readonly string[]) => HttpRequest,
): RequestGenerator<NarrowedFailure | undefined> {
  const buildAfter = (count: number) => build([...before, ...overtaken.slice(0, count), name]);
  for (let count = overtaken.length - 1; count >= 0; count -= 1) {
    const pair = { wrongly: buildAfter(count), rightly: buildAfter(count + 1) };
    if ((yield* inquiry.ask(pair.wrongly)) !== 'wrong' || (yield* inquiry.ask(pair.rightly)) !== 'right') continue;
    const other = overtaken[count] ?? '';
    const words = `With ${name} before ${other} in ${namesOfPlaces[place] ?? place.slice(1)}`;
    return createNarrowedContrast(inquiry, {
      ...pair,
      wronglyWhen: words,
      rightlyWhen: `With ${other} before ${name}`,
      part: `form: ${words}`,
    });
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

/** Writes some members first at one place. */
function reorder(
  value: unknown,
  at: { readonly place: Place; readonly first: readonly string[] },
  place: Place = '',
): unknown {
  if (Array.isArray(value)) return value.map((part) => reorder(part, at, `${place}/*`));
  if (!isJsonObject(value)) return value;
  const moved = place === at.place ? at.first.filter((name) => Object.hasOwn(value, name)) : [];
  const names = [...moved, ...Object.keys(value).filter((name) => !moved.includes(name))];
  return Object.fromEntries(names.map((name) => [name, reorder(value[name], at, `${place}/${name}`)]));
}
