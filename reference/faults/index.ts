import { findNearest } from '../deployment/find-nearest.js';
import { customerFaults } from './customer.js';
import { expandFaults } from './expand.js';
import type { Fault } from './fault.js';
import { filterFaults } from './filters.js';
import { metadataFaults } from './metadata.js';
import { orderFaults } from './order.js';
import { productsWithSkusFaults } from './products-with-skus.js';
import { requestFaults } from './request.js';
import { resultFaults } from './result.js';
import { sharedStateFaults } from './shared-state.js';
import { windowFaults } from './window.js';

export type { Fault, Requirement } from './fault.js';

/** The faults that `serve --fault` offers. */
export const faults: readonly Fault[] = [
  ...requestFaults,
  ...customerFaults,
  ...orderFaults,
  ...metadataFaults,
  ...filterFaults,
  ...windowFaults,
  ...resultFaults,
  ...expandFaults,
  ...productsWithSkusFaults,
  ...sharedStateFaults,
];

/**
 * Finds a fault by its id.
 *
 * @param known the faults to search
 * @throws an Error that names the nearest ids, when there is no such fault
 */
export function findFault(id: string, known: readonly Fault[] = faults): Fault {
  const fault = known.find((fault) => fault.id === id);
  if (fault !== undefined) return fault;
  const [first, ...others] = findNearest(
    id,
    known.map((fault) => fault.id),
  );
  throw new Error(`Unknown fault '${id}'. Did you mean '${first}'? Similar ids: ${others.join(', ')}.`);
}
