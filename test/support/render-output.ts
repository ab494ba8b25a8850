import { createRunView, encodeOutput, loadOutputRenderers } from '../../src/outputs/output.js';

const outputs = await loadOutputRenderers();

/** Renders one file of a run's results, as a run writes it. */
export function renderOutput(file: string, ...run: Parameters<typeof createRunView>): string {
  const content = outputs.get(file)?.(createRunView(...run));
  if (content === undefined) throw new Error(`There is no output '${file}'.`);
  return encodeOutput(file, content).toString('utf8');
}
