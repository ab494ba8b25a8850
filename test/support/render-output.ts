import { createRunView, encodeContent, loadOutputs } from '../../src/outputs/output.js';

const outputs = await loadOutputs();

/** Renders one file of a run's results, as a run writes it. */
export function renderOutput(file: string, ...run: Parameters<typeof createRunView>): string {
  const content = outputs.get(file)?.(createRunView(...run));
  if (content === undefined) throw new Error(`There is no output '${file}'.`);
  return encodeContent(file, content).toString('utf8');
}
