import { shorten } from '../support/untrusted-text.js';
import { type NamedWorld, thingKinds } from './named-world.js';
import type { Rule } from './world.js';

/** Creates a function that finds the name of an id. It returns unknown ids unchanged. */
export function createNameLookup({ ids }: NamedWorld): (id: string) => string {
  return (wanted) => {
    for (const kind of thingKinds) for (const [name, id] of ids[kind]) if (id === wanted) return name;
    return wanted;
  };
}

const maxText = 60;

/** Describes when a rule holds: "an order item has product mug, quantity 3 or more". */
export function renderRule(rule: Rule, nameOf: (id: string) => string): string {
  switch (rule.kind) {
    case 'customer':
      return `the customer is ${rule.any_of.map(nameOf).join(' or ')}`;
    case 'product':
    case 'sku':
      return `an order item has ${rule.kind} ${nameOf(rule.id)}, quantity ${rule.at_least} or more`;
    case 'order_metadata':
      return `order metadata ${rule.key} includes ${shorten(rule.includes, maxText)}`;
    case 'metadata':
      return `metadata ${rule.key} is ${shorten(rule.is, maxText)}`;
  }
}
