import { listGeneratedFaults } from '../../tools/proof/generated-faults.js';
import { findNearest } from '../deployment/find-nearest.js';
import { awkwardDataFaults } from './awkward-data.js';
import { customerFaults } from './customer.js';
import type { Fault } from './fault.js';
import { filterFaults } from './filters.js';
import { joinedEntryFaults } from './joined-entries.js';
import { metadataFaults } from './metadata.js';
import { orderFaults } from './order.js';
import { requestFaults } from './request.js';
import { resultFaults } from './result.js';
import { sendingFaults } from './sending.js';
import { sharedStateFaults } from './shared-state.js';
import { windowFaults } from './window.js';

export type { Fault, Requirement } from './fault.js';

/** The faults with a story of their own. See {@link listGeneratedFaults} for the others. */
export const faults: readonly Fault[] = [
  ...requestFaults,
  ...customerFaults,
  ...orderFaults,
  ...metadataFaults,
  ...filterFaults,
  ...joinedEntryFaults,
  ...windowFaults,
  ...resultFaults,
  ...awkwardDataFaults,
  ...sendingFaults,
  ...sharedStateFaults,
];

/**
 * Finds a fault by its id. The id of a generated fault is `place/mistake`.
 *
 * @throws an Error that names the nearest id, when there is no such fault
 */
export function findFault(id: string): Fault {
  const known: readonly Fault[] = id.includes('/') ? listGeneratedFaults() : faults;
  const fault = known.find((fault) => fault.id === id);
  if (fault !== undefined) return fault;
  const [first, ...others] = findNearest(
    id,
    known.map((fault) => fault.id),
  );
  throw new Error(`Unknown fault '${id}'. Did you mean '${first}'? Similar ids: ${others.join(', ')}.`);
}
