import { createHash } from 'node:crypto';
import type { EntityKind } from './world.js';

const prefixes = { customer: 'cust', product: 'prod', sku: 'sku', category: 'cat', campaign: 'camp', tier: 'promo' };

/**
 * Creates the id of a name: stable, unique and not guessable without the name.
 *
 * @param beginsWith the name whose id it begins with, if there is one
 */
export function createId(kind: EntityKind, name: string, beginsWith?: string): string {
  const digits = createHash('sha256').update(`${kind} ${name}`).digest('hex');
  return beginsWith === undefined
    ? `${prefixes[kind]}_${digits.slice(0, 24)}`
    : `${createId(kind, beginsWith)}${digits.slice(0, 2)}`;
}
