import { createHash } from 'node:crypto';
import type { EntityKind } from './world.js';

const prefixes = { customer: 'cust', product: 'prod', sku: 'sku', category: 'cat', campaign: 'camp', tier: 'promo' };

/** Creates the id of a name: stable, unique and not guessable without the name. */
export function createId(kind: EntityKind, name: string): string {
  return `${prefixes[kind]}_${createHash('sha256').update(`${kind} ${name}`).digest('hex').slice(0, 24)}`;
}
