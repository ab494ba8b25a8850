import type { Fault } from '../../reference/faults/fault.js';
import { faults, findFault } from '../../reference/faults/index.js';
import { computeOnce } from '../../src/support/caches.js';
import { requestKindFaults } from './faults/requests.js';
import { sendingFaults } from './faults/sending.js';
import { textFaults } from './faults/texts.js';
import { listGeneratedFaults } from './generated-faults.js';

/** The faults with a story of their own: those that `serve --fault` offers, and those that only the proof makes. */
export const faultsWithStories: readonly Fault[] = [...faults, ...textFaults, ...sendingFaults, ...requestKindFaults];

/** All faults: those with a story of their own, and each mistake at each place of its kind. */
export const listFaults = computeOnce((): readonly Fault[] => [...faultsWithStories, ...listGeneratedFaults()]);

/** Finds any fault by its id. That of a generated one is `place/mistake`. @throws an Error that names the nearest ids */
export function findAnyFault(id: string): Fault {
  return findFault(id, listFaults());
}
