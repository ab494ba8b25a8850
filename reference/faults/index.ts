import { findNearest } from '../find-nearest.js';
import { awkwardDataFaults } from './awkward-data.js';
import { customerFaults } from './customer.js';
import type { Fault } from './fault.js';
import { filterFaults } from './filters.js';
import { metadataFaults } from './metadata.js';
import { openBranchFaults } from './open-branches.js';
import { orderFaults } from './order.js';
import { requestFaults } from './request.js';
import { resultFaults } from './result.js';
import { sendingFaults } from './sending.js';
import { sharedStateFaults } from './shared-state.js';
import { windowFaults } from './window.js';

export type { Fault, Requirement } from './fault.js';

/** All that the reference deployment can do wrong on purpose. */
export const faults: readonly Fault[] = [
  ...requestFaults,
  ...customerFaults,
  ...orderFaults,
  ...metadataFaults,
  ...filterFaults,
  ...windowFaults,
  ...openBranchFaults,
  ...resultFaults,
  ...awkwardDataFaults,
  ...sendingFaults,
  ...sharedStateFaults,
];

/** @throws an Error that names the nearest one, when there is no such fault */
export function findFault(id: string): Fault {
  const ids = faults.map((fault) => fault.id);
  const fault = faults[ids.indexOf(id)];
  if (fault === undefined) {
    const [first, ...others] = findNearest(id, ids);
    throw new Error(`There is no fault '${id}'. Did you mean '${first}'? Near it, too: ${others.join(', ')}.`);
  }
  return fault;
}
