import { createRunView, encodeOutput } from '../../src/outputs/output.js';
import { outputRenderers } from '../../src/outputs/renderers.js';
import type { OutputFile } from '../../src/outputs/result-files.js';

/** Renders one file of a run's results, as a run writes it. */
export function renderOutput(file: OutputFile, ...run: Parameters<typeof createRunView>): string {
  const content = outputRenderers[file](createRunView(...run));
  if (content === undefined) throw new Error(`The run has no '${file}'.`);
  return encodeOutput(file, content).toString('utf8');
}
