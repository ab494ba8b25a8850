import type { Certificate, RunFacts } from '../../src/certificate/certificate.js';
import { type NamedWorld, thingKinds } from '../../src/contract/named-world.js';
import type { World } from '../../src/contract/world.js';
import { suite } from './in-process.js';

/** Creates a world without names. */
export function createNamelessWorld(world: World): NamedWorld {
  const ids = Object.fromEntries(thingKinds.map((kind) => [kind, new Map()])) as unknown as NamedWorld['ids'];
  return { ...world, ids, unavailable: new Map() };
}

/** What is known of a run of one request. */
export const runFacts: RunFacts = {
  target: { name: 'shop', base_url: 'https://a.test' },
  requestsSent: 1,
  notes: [],
  isCutShort: false,
  startedAt: new Date(0),
  durationMs: 0,
};

/** Creates a certificate with these members, and empty ones otherwise. */
export function createCertificateStub(known: Partial<Certificate>): Certificate {
  return {
    verdict: 'incomplete',
    target: { name: 'shop', base_url: 'http://shop.test' },
    suite: { name: suite.name, version: suite.version, digest: suite.digest },
    summary: {},
    requirements: [],
    questions: [],
    drift: [],
    unstable: [],
    notes: [],
    requests_sent: 0,
    started_at: '2026-01-01T00:00:00.000Z',
    duration_ms: 0,
    ...known,
  };
}
