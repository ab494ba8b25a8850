import { groupBy } from '../../src/support/collections.js';
import { suite } from '../../test/support/in-process.js';
import { proveFaults } from '../proof/kill-matrix.js';
import { listMutants, type Mutant } from '../proof/mutants.js';
import { type FaultProof, isKilled } from '../proof/proof.js';
import { type GeneratedProof, proveGenerated } from '../proof/prove-generated.js';
import { runInWorkers } from '../proof/run-in-workers.js';
import { measureConformingDeployments } from './conforming-deployments.js';
import { measureConstantServers } from './constant-servers.js';
import type { FaultCount, ProofPart, ProofParts } from './proof-data.js';

/** Measures each part of the proof. */
export const measurements: { readonly [Part in ProofPart]: () => Promise<ProofParts[Part]> } = {
  async faults() {
    const withStory = await proveFaults();
    const generated = (await proveGenerated()).filter(({ is }) => is === 'killed' || is === 'surviving');
    return {
      withStory: countFound(withStory, ({ breaks }) => breaks, isKilled),
      generated: countFound(generated, ({ fault }) => fault.kind, isFound),
      survivors: [
        ...withStory.flatMap((proof) => (isKilled(proof) ? [] : proof.id)),
        ...generated.flatMap((proof) => (isFound(proof) ? [] : proof.fault.id)),
      ],
    };
  },

  async code() {
    const judged = await judgeMutants();
    return {
      byFile: countFates(judged),
      survivors: judged.flatMap(({ mutant, fate }) => (fate === 'hidden' ? describeMutant(mutant) : [])),
    };
  },

  async constant() {
    const servers = await measureConstantServers(suite);
    return { servers, survivors: servers.flatMap(({ answers, verdict }) => (verdict === 'conforms' ? answers : [])) };
  },

  async conforming() {
    const kinds = await measureConformingDeployments();
    return { kinds, survivors: kinds.flatMap(({ failed }) => failed) };
  },
};

const isFound = ({ is }: GeneratedProof) => is === 'killed';

function countFound<Proof extends FaultProof | GeneratedProof>(
  proofs: readonly Proof[],
  classOf: (proof: Proof) => string,
  isFound: (proof: Proof) => boolean,
): Record<string, FaultCount> {
  return Object.fromEntries(
    [...groupBy(proofs, classOf)].map(([name, some]) => [
      name,
      { faults: some.length, found: some.filter(isFound).length },
    ]),
  );
}

async function judgeMutants() {
  const mutants = await listMutants();
  const fates = await runInWorkers(
    'judge the mutant',
    mutants.map(({ id }) => id),
  );
  return mutants.flatMap((mutant, n) => {
    const fate = fates[n];
    return fate === undefined ? [] : [{ mutant, fate }];
  });
}

function countFates(judged: Awaited<ReturnType<typeof judgeMutants>>): ProofParts['code']['byFile'] {
  return Object.fromEntries(
    [...groupBy(judged, ({ mutant }) => mutant.file)].map(([file, ofFile]) => {
      const byFate = [...groupBy(ofFile, ({ fate }) => fate)];
      return [file, Object.fromEntries(byFate.map(([fate, some]) => [fate, some.length]))];
    }),
  );
}

function describeMutant({ file, line, column, change, replacement }: Mutant): string {
  return `${file}:${line}:${column} ${change}: ${replacement.split('\n')[0]}`;
}
