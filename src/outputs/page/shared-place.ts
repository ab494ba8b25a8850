/** Where the page says a reason that several cases share: each of them has a link to it. */

import type { Certificate } from '../../certificate/certificate.js';
import { findSharedReasons, listSharedReasons } from '../../certificate/shared-reasons.js';

/** Finds the id of the section that says a reason; '' if no other case has the reason. */
export type SharedPlaceLookup = (reason: string) => 'lead' | 'unjudged' | 'attention' | '';

export function createSharedPlaceLookup(certificate: Certificate): SharedPlaceLookup {
  const all = findSharedReasons(certificate);
  const listed = new Map(listSharedReasons(certificate).map((shared) => [shared.reason, shared]));
  const isIncomplete = certificate.incomplete_because !== undefined;
  return (reason) => {
    if (!all.has(reason)) return '';
    const shared = listed.get(reason);
    if (shared === undefined) return isIncomplete ? 'lead' : 'attention';
    return isIncomplete && shared.isAboutRequirements ? 'lead' : 'unjudged';
  };
}

/** Lists the shared reasons that are not among those for which the run is incomplete. */
export function listUnjudged(certificate: Certificate): string[] {
  const isIncomplete = certificate.incomplete_because !== undefined;
  return listSharedReasons(certificate).flatMap(({ isAboutRequirements, sentence }) =>
    isIncomplete && isAboutRequirements ? [] : [sentence],
  );
}
