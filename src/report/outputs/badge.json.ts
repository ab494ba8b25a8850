import type { RunVerdict } from '../certificate.js';
import { describeCounts } from '../counts.js';
import type { Output } from '../output.js';

const styles: Readonly<Record<RunVerdict, { readonly words: string; readonly color: string }>> = {
  conforms: { words: 'conforms', color: 'brightgreen' },
  'does-not-conform': { words: 'does not conform', color: 'red' },
  incomplete: { words: 'incomplete', color: 'yellow' },
};

/** Renders verdict and counts in the endpoint format of shields.io. Its schema is `schemas/badge.schema.json`. */
export default (({ certificate: { verdict, selected, summary, drift, target } }) => {
  const { words, color } = styles[selected?.verdict ?? verdict];
  const counts =
    selected === undefined ? describeCounts(summary) : `${describeCounts(selected.cases)} of the selected cases`;
  const drifted = drift.length === 0 ? '' : `, ${drift.length} drift`;
  return {
    json: {
      schemaVersion: 1,
      label: target.is_reference ? 'reference deployment' : 'promotion validation',
      message: `${words}: ${counts}${drifted}${target.adapter === undefined ? '' : ', through an adapter'}`,
      // Drift fails a pipeline, even if the target conforms.
      color: color === 'brightgreen' && drift.length > 0 ? 'orange' : color,
    },
  };
}) satisfies Output;
