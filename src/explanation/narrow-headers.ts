/**
 * Finds out which header of a request makes a difference, and what of it: its name in other letters, that it is there, or its
 * place. In: a wrong request and its plain form, which differ in headers alone. Out: one feature. Pure (see
 * `symptom-inquiry.ts`).
 */

import { getHeaderValues, type Headers, type HttpRequest } from '../http/exchange.js';
import { renderShortList } from '../support/collections.js';
import { createNarrowedContrast, type NarrowedFailure } from './narrowed-failure.js';
import type { RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';

/** What headers may have that others have not: the words for both, and the plain headers with it. */
interface HeaderFeature {
  /** What the sentence calls it where several headers have it. */
  readonly subject: string;
  readonly wronglyWhen: string;
  readonly rightlyWhen: string;
  readonly headers: Headers;
}

/** Gives the plain request one feature of the wrong headers at a time. */
export function* narrowHeaders(
  inquiry: SymptomInquiry,
  wrongly: HttpRequest,
  plainly: HttpRequest,
): RequestGenerator<NarrowedFailure | undefined> {
  return yield* tryFeatures(inquiry, plainly, listFeatures(wrongly.headers, plainly.headers));
}

/** Adds one header at a time. */
export function* narrowAddedHeaders(
  inquiry: SymptomInquiry,
  plainly: HttpRequest,
  added: Headers,
): RequestGenerator<NarrowedFailure | undefined> {
  return yield* tryFeatures(
    inquiry,
    plainly,
    added.map((header) => describeAdded(header, plainly.headers)),
  );
}

/** Names the first feature with which the request is wrong, and the others. */
function* tryFeatures(
  inquiry: SymptomInquiry,
  plainly: HttpRequest,
  features: readonly HeaderFeature[],
): RequestGenerator<NarrowedFailure | undefined> {
  const wrong: HeaderFeature[] = [];
  const right: HeaderFeature[] = [];
  for (const feature of features) {
    const correctness = yield* inquiry.ask({ ...plainly, headers: feature.headers });
    if (correctness === 'wrong') wrong.push(feature);
    if (correctness === 'right') right.push(feature);
  }
  const [first, ...others] = wrong;
  if (first === undefined) return undefined;
  const { wronglyWhen, rightlyWhen, headers } = first;
  const narrowed = createNarrowedContrast(inquiry, {
    wrongly: { ...plainly, headers },
    rightly: plainly,
    wronglyWhen,
    rightlyWhen,
    part: `form: ${wrong.map(({ subject }) => subject).join()}`,
  });
  const list = (some: readonly HeaderFeature[]) => renderShortList(some.map(({ subject }) => subject));
  const alike = others.length === 0 ? '' : ` Wrong, too: ${list(others)}.`;
  const harmless = right.length === 0 ? '' : ` Right: ${list(right)}.`;
  return { ...narrowed, sentence: `${narrowed.sentence}${alike}${harmless}` };
}

/** Of a documented request, each plain header is there once, with its value. Its name, its place and further headers may differ. */
function listFeatures(wrong: Headers, plain: Headers): HeaderFeature[] {
  const spelled = plain.flatMap(([name]): HeaderFeature[] => {
    const [found = name] = wrong.find(([other]) => isSameName(other, name)) ?? [];
    return found === name ? [] : [describeSpelling(name, found, plain)];
  });
  const added = wrong.filter(([name]) => getHeaderValues(plain, name).length === 0);
  const names = wrong.map(([name]) => name.toLowerCase());
  const ordered = plain.toSorted(
    ([left], [right]) => names.indexOf(left.toLowerCase()) - names.indexOf(right.toLowerCase()),
  );
  return [
    ...spelled,
    ...added.map((header) => describeAdded(header, plain)),
    ...(JSON.stringify(ordered) === JSON.stringify(plain) ? [] : [describeOrder(ordered, plain)]),
  ];
}

function isSameName(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

function describeSpelling(name: string, spelled: string, plain: Headers): HeaderFeature {
  const lower = spelled === spelled.toLowerCase() ? ' in lower case' : '';
  const letters = spelled === spelled.toUpperCase() ? ' in upper case' : lower;
  return {
    subject: `the name ${spelled}`,
    wronglyWhen: `With the name of the header ${name}${letters} (${spelled})`,
    rightlyWhen: `With ${name}`,
    headers: plain.map(([other, value]) => [other === name ? spelled : other, value] as const),
  };
}

function describeAdded([name, value]: Headers[number], plain: Headers): HeaderFeature {
  return {
    subject: name,
    wronglyWhen: `With the header ${name}: ${value}`,
    rightlyWhen: 'Without it',
    headers: [...plain, [name, value]],
  };
}

function describeOrder(ordered: Headers, plain: Headers): HeaderFeature {
  const list = (headers: Headers) => headers.map(([name]) => name).join(', ');
  return {
    subject: 'the order of the headers',
    wronglyWhen: `With the headers in this order: ${list(ordered)}`,
    rightlyWhen: `In this order: ${list(plain)}`,
    headers: ordered,
  };
}
