import type { CertificateInputs } from '../../src/certificate/certificate.js';
import { entityKinds, type TargetWorld, type World } from '../../src/contract/world.js';

/** Creates a world without names. */
export function createNamelessWorld(world: World): TargetWorld {
  const ids = Object.fromEntries(entityKinds.map((kind) => [kind, new Map()])) as unknown as TargetWorld['ids'];
  return { ...world, ids, unavailable: new Map() };
}

/** What is known of a run of one request. */
export const runFacts: CertificateInputs = {
  target: { name: 'shop', base_url: 'https://a.test' },
  requestsSent: 1,
  notes: [],
  showExchange: () => undefined,
  isCutShort: false,
  startedAt: new Date(0),
  durationMs: 0,
};
