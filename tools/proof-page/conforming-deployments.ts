import fc from 'fast-check';
import type { RunVerdict } from '../../src/certificate/run-verdict.js';
import { createChaoticChannel, createRandom } from '../../test/support/chaos.js';
import { certifyRow } from '../../test/support/check-deployment.js';
import { describeDrawnDeployment, drawnBehaviours, drawnLook, looks } from '../../test/support/drawn-deployments.js';
import { certifyOver, suite } from '../../test/support/in-process.js';
import { createIndependentDeployment, type ShapeName, shapes } from '../../test/support/independent-deployment.js';

/** Runs against conforming deployments of one kind. None may end with `does-not-conform`. */
export interface ConformingRuns {
  readonly id: ConformingKind;
  readonly runs: number;
  readonly conforms: number;
  readonly incomplete: number;
  /** The runs that failed though the deployment conforms. */
  readonly failed: readonly string[];
}

export const conformingKinds = {
  independent:
    'a second implementation, which shares no code with the reference deployment, in each shape of responses',
  looks: 'the reference deployment in each shape of responses, those with a line in the target file too',
  drawn: 'the reference deployment with a drawn shape and drawn answers to all open questions',
  unreliable: 'the second implementation behind a proxy that garbles, resets, confuses or refuses 5 % of the responses',
} as const;

type ConformingKind = keyof typeof conformingKinds;

interface ConformingRun {
  readonly title: string;
  certify(): Promise<RunVerdict>;
}

/** The share of responses that the proxy spoils. */
const share = 0.05;

/** How many deployments are drawn, and how many runs have a proxy. The long tests draw 500 and 200. */
export interface ConformingSize {
  readonly drawn: number;
  readonly unreliable: number;
  readonly seed: number;
}

const defaultSize: ConformingSize = { drawn: 60, unreliable: 30, seed: 20_240_120 };

function listRuns({ drawn, unreliable, seed }: ConformingSize): Record<ConformingKind, readonly ConformingRun[]> {
  const certifyLook = async (look: string, behaviours = {}) =>
    (await certifyRow(describeDrawnDeployment(look, behaviours))).certificate.verdict;
  return {
    independent: (Object.keys(shapes) as ShapeName[])
      // It lists refused promotions, too, and needs a line in the target file.
      .filter((shape) => shape !== 'with-rejected')
      .map((shape) => ({
        title: shape,
        certify: async () =>
          (await certifyRow({ deploy: (world) => createIndependentDeployment(world, { shape }) })).certificate.verdict,
      })),
    looks: Object.keys(looks).map((look) => ({ title: look, certify: () => certifyLook(look) })),
    drawn: fc.sample(fc.tuple(drawnLook, drawnBehaviours), { seed, numRuns: drawn }).map(([look, behaviours]) => ({
      title: `${look}, ${JSON.stringify(behaviours)}`,
      certify: () => certifyLook(look, behaviours),
    })),
    unreliable: Array.from({ length: unreliable }, (_, n) => ({
      title: `seed ${n + 1}`,
      certify: async () => {
        const answer = createIndependentDeployment(suite.world);
        const channel = createChaoticChannel(answer, createRandom(n + 1), share);
        return (await certifyOver(channel, suite)).certificate.verdict;
      },
    })),
  };
}

/** Certifies conforming deployments of each kind. */
export async function measureConformingDeployments(size: ConformingSize = defaultSize): Promise<ConformingRuns[]> {
  const measured: ConformingRuns[] = [];
  for (const [id, runs] of Object.entries(listRuns(size)) as [ConformingKind, readonly ConformingRun[]][]) {
    const ended: [title: string, verdict: RunVerdict][] = [];
    for (const { title, certify } of runs) ended.push([title, await certify()]);
    const count = (wanted: RunVerdict) => ended.filter(([, verdict]) => verdict === wanted).length;
    measured.push({
      id,
      runs: ended.length,
      conforms: count('conforms'),
      incomplete: count('incomplete'),
      failed: ended.flatMap(([title, verdict]) => (verdict === 'does-not-conform' ? title : [])),
    });
  }
  return measured;
}
