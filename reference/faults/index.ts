import { suggest } from '../../src/support/suggest.js';
import { customerFaults } from './customer.js';
import type { Fault } from './fault.js';
import { filterFaults } from './filters.js';
import { metadataFaults } from './metadata.js';
import { orderFaults } from './order.js';
import { requestFaults } from './request.js';
import { resultFaults } from './result.js';
import { windowFaults } from './window.js';

export type { Fault, Requirement } from './fault.js';

/** Every way in which the reference deployment can break the documentation on purpose. */
export const faults: readonly Fault[] = [
  ...requestFaults,
  ...customerFaults,
  ...orderFaults,
  ...metadataFaults,
  ...filterFaults,
  ...windowFaults,
  ...resultFaults,
];

/** @throws an Error that names the nearest or all known ones, when there is no such fault */
export function faultNamed(id: string): Fault {
  const fault = faults.find((known) => known.id === id);
  if (fault !== undefined) return fault;
  const known = faults.map((each) => each.id);
  throw new Error(`There is no fault '${id}'. ${suggest(id, known)}`);
}
