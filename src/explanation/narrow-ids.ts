/**
 * Finds out whether one id is taken for another that is nearly the same: a promotion is returned that asks for the other one. In: a
 * small wrong request in parts. Out: both ids, and a right request with an id that resembles neither. Pure (see
 * `symptom-inquiry.ts`).
 */

import { createNameLookup } from '../contract/describe-request.js';
import { parseFilterParameter } from '../contract/operation.js';
import type { TargetWorld, Tier } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { quoteText } from '../support/quote-text.js';
import type { ComponentContrast } from './narrow-components.js';
import { readCustomer, writeCustomer } from './narrow-customer.js';
import { describeRightResult, describeSymptom, findShownExchanges, type NarrowedFailure } from './narrowed-failure.js';
import { type DecomposedRequest, type RequestComponent, replaceComponent } from './request-components.js';
import type { RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';

/** An id of a request that is perhaps taken for one that a promotion asks for. */
interface SuspectedId {
  readonly what: 'customer' | 'product' | 'sku' | 'campaign';
  readonly sent: string;
  readonly wanted: string;
  readonly replaceBy: (other: string) => HttpRequest;
}

/** How an id resembles another, and how that is said of both. */
const resemblances: readonly { readonly words: string; readonly holds: (sent: string, wanted: string) => boolean }[] = [
  { words: 'which begins with it', holds: (sent, wanted) => wanted.startsWith(sent) },
  { words: 'with which it begins', holds: (sent, wanted) => sent.startsWith(wanted) },
  { words: 'which differs from it in letter case alone', holds: haveSameLetters },
  { words: 'which has it as a part', holds: (sent, wanted) => wanted.includes(sent) },
  { words: 'which is a part of it', holds: (sent, wanted) => sent.includes(wanted) },
  { words: 'which is the same number', holds: (sent, wanted) => sent.trim() !== '' && Number(sent) === Number(wanted) },
];

export function* narrowIds(
  inquiry: SymptomInquiry,
  apart: DecomposedRequest,
  { wrong }: ComponentContrast,
): RequestGenerator<NarrowedFailure | undefined> {
  const { symptom, target } = inquiry;
  if (symptom.kind !== 'extra') return undefined;
  const wrongly = apart.compose(wrong);
  for (const suspected of listSuspectedIds(symptom.tier, apart, wrong, wrongly)) {
    const resemblance = describeResemblance(suspected.sent, suspected.wanted);
    const unlikeId = resemblance && findUnlikeId(suspected, symptom.tier, target.world);
    if (unlikeId === undefined) continue;
    const rightly = suspected.replaceBy(unlikeId);
    if ((yield* inquiry.ask(rightly)) !== 'right') continue;
    const nameOf = createNameLookup(target.world);
    const kind = suspected.what === 'sku' ? 'SKU' : suspected.what;
    const quoteId = (id: string) => `${kind} ${nameOf(id)}${nameOf(id) === id ? '' : `, ${quoteText(id)},`}`;
    const sentence = `The id of ${quoteId(suspected.sent)} is taken for that of ${quoteId(suspected.wanted)} ${resemblance}: ${describeSymptom(inquiry, wrongly)}. With the ${kind} ${nameOf(unlikeId)}, ${describeRightResult(inquiry)}.`;
    return {
      kind: 'contrast',
      part: `id-of-${suspected.what}`,
      sentence,
      ...findShownExchanges(inquiry, wrongly, rightly),
    };
  }
  return undefined;
}

/** Lists the ids of a request where a promotion asks for another one of the same kind. */
function listSuspectedIds(
  tier: Tier,
  { compose }: DecomposedRequest,
  wrong: readonly RequestComponent[],
  wrongly: HttpRequest,
): SuspectedId[] {
  const ofComponents = wrong.flatMap((component): SuspectedId[] => {
    if (component.kind === 'parameter' && parseFilterParameter(component.name)?.on === 'campaign')
      return [
        {
          what: 'campaign',
          sent: component.value,
          wanted: tier.campaign_id,
          replaceBy: (value) => compose(replaceComponent(wrong, component, { ...component, value })),
        },
      ];
    if (component.kind !== 'item') return [];
    return tier.rules.flatMap((rule): SuspectedId[] => {
      if (rule.kind !== 'product' && rule.kind !== 'sku') return [];
      const member = `${rule.kind}_id`;
      const sent = component.item[member];
      if (typeof sent !== 'string') return [];
      const replaceBy = (id: string) =>
        compose(replaceComponent(wrong, component, { kind: 'item', item: { ...component.item, [member]: id } }));
      return [{ what: rule.kind, sent, wanted: rule.id, replaceBy }];
    });
  });
  const sent = readCustomer(wrongly.body);
  if (sent === undefined) return ofComponents;
  const ofCustomer = tier.rules.flatMap((rule): SuspectedId[] => {
    if (rule.kind !== 'customer' || rule.any_of.includes(sent)) return [];
    return rule.any_of.map((wanted) => ({
      what: 'customer',
      sent,
      wanted,
      replaceBy: (id) => ({ ...wrongly, body: writeCustomer(wrongly.body, id) }),
    }));
  });
  return [...ofCustomer, ...ofComponents];
}

function haveSameLetters(sent: string, wanted: string): boolean {
  return sent.toLowerCase() === wanted.toLowerCase();
}

function describeResemblance(sent: string, wanted: string): string | undefined {
  if (sent === wanted) return undefined;
  return resemblances.find(({ holds }) => holds(sent, wanted))?.words;
}

/** Finds an id of the same kind that resembles nothing that the promotion asks for. */
function findUnlikeId({ what }: SuspectedId, tier: Tier, world: TargetWorld): string | undefined {
  const wanted = [
    tier.campaign_id,
    ...tier.rules.flatMap((rule) => (rule.kind === 'customer' ? rule.any_of : 'id' in rule ? [rule.id] : [])),
  ];
  const known = { customer: world.customers, product: world.products, sku: world.skus, campaign: world.campaigns };
  const isUnlike = (id: string) => wanted.every((asked) => id !== asked && !describeResemblance(id, asked));
  return known[what].find(({ id }) => isUnlike(id))?.id;
}
