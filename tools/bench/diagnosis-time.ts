import { createHash } from 'node:crypto';
import { diagnoseRun } from '../../src/explanation/diagnose-run.js';
import { type Answer, createReference, recognizer, suite } from '../../test/support/in-process.js';
import { createTimedChannel, indexExchanges, runSuite } from '../proof/judge-deployment.js';

/** Whether a hash of an id selects it: one in three. */
const isLost = (id: string): boolean => createHash('sha256').update(id).digest().readUInt8() % 3 === 0;

/** Measures the diagnosis of a run whose failures no mistake explains, in seconds, before the compiler is warm. */
export async function measureDiagnosisTime(): Promise<number> {
  const reference = createReference();
  const losing: Answer = (request) => {
    const response = reference(request);
    if (!response.body.includes('"promotions":')) return response;
    const { promotions, ...members } = JSON.parse(response.body);
    const kept = promotions.filter(({ id }: { readonly id: string }) => !isLost(id));
    return { ...response, body: JSON.stringify({ ...members, promotions: kept }) };
  };
  const options = { recognizer, isWorldLoaded: true };
  const { results, evidence } = await runSuite(suite, createTimedChannel(losing), options);
  const index = indexExchanges(evidence, recognizer);
  const before = performance.now();
  diagnoseRun({ suite, results, index, statedPatterns: undefined, known: undefined });
  return (performance.now() - before) / 1000;
}
