import type { Suite } from '../../src/cases/suite.js';
import type { Certificate } from '../../src/certificate/certificate.js';
import { createRunView, encodeContent, loadOutputs } from '../../src/outputs/output.js';
import type { ResultWithExchanges } from '../../src/run/case-result.js';

const outputs = await loadOutputs();

/** Renders one file of a run's results, as a run writes it. */
export function renderOutput(
  file: string,
  certificate: Certificate,
  suite: Suite,
  results: readonly ResultWithExchanges[],
): string {
  const content = outputs.get(file)?.(createRunView(certificate, suite, results));
  if (content === undefined) throw new Error(`There is no output '${file}'.`);
  return encodeContent(file, content).toString('utf8');
}
