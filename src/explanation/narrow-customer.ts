/**
 * Finds out whether the customer makes the difference, if no part of a request that can be left out does. In: a small wrong
 * request in parts. Out: for which customers it is wrong, and for which it is right. Pure (see `symptom-inquiry.ts`).
 */

import { createNameLookup } from '../contract/describe-request.js';
import { renderShortList } from '../support/collections.js';
import type { ComponentContrast } from './narrow-components.js';
import {
  describeRightResult,
  describeSymptom,
  findShownExchanges,
  type NarrowedFailure,
  type NarrowingContext,
} from './narrowed-failure.js';
import { type DecomposedRequest, takeRequestApart } from './request-components.js';
import type { RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';

/** How many other customers are tried. */
const maxCustomers = 6;

export function* narrowCustomer(
  inquiry: SymptomInquiry,
  apart: DecomposedRequest,
  { wrong, right }: ComponentContrast,
  { plain }: NarrowingContext,
): RequestGenerator<NarrowedFailure | undefined> {
  const { symptom } = inquiry;
  // A promotion for one customer is never right for another one.
  const isForCustomer = symptom.kind === 'extra' && symptom.tier.rules.some(({ kind }) => kind === 'customer');
  if (right !== undefined || isForCustomer) return undefined;
  const { world } = inquiry.target;
  const request = apart.compose(wrong);
  const results = [{ id: readCustomer(request.body), request, correctness: yield* inquiry.ask(request) }];
  for (const { id } of world.customers.slice(0, maxCustomers)) {
    const requestOfOther = takeRequestApart({ ...request, body: writeCustomer(request.body, id) }, plain)?.compose(
      wrong,
    );
    if (requestOfOther === undefined || id === results[0]?.id) continue;
    results.push({ id, request: requestOfOther, correctness: yield* inquiry.ask(requestOfOther) });
  }
  const [wrongOnes, rightOnes] = (['wrong', 'right'] as const).map((wanted) =>
    results.filter(({ correctness }) => correctness === wanted),
  );
  const [wrongly, rightly] = [wrongOnes?.[0], rightOnes?.[0]];
  if (wrongly?.id === undefined || rightly?.id === undefined) return undefined;
  const nameOf = createNameLookup(world);
  const list = (ofResults: typeof results) =>
    renderShortList(ofResults.map(({ id }) => (id === undefined ? 'none' : nameOf(id))));
  const sentence = `For the customer ${nameOf(wrongly.id)}, ${describeSymptom(inquiry, wrongly.request)}. For the customer ${nameOf(rightly.id)}, ${describeRightResult(inquiry)}. Wrong for: ${list(wrongOnes ?? [])}. Right for: ${list(rightOnes ?? [])}.`;
  return { kind: 'customer', sentence, ...findShownExchanges(inquiry, wrongly.request, rightly.request) };
}

export function readCustomer(body = ''): string | undefined {
  const { customer } = JSON.parse(body) as { customer?: { id?: string } };
  return customer?.id;
}

export function writeCustomer(body = '', id: string): string {
  return JSON.stringify({ ...JSON.parse(body), customer: { id } });
}
