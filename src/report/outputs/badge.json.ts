import { describeCounts } from '../counts.js';
import type { Output } from '../output.js';

const colors = { conforms: 'brightgreen', 'does-not-conform': 'red', incomplete: 'yellow' } as const;

/** Renders verdict and counts in the endpoint format of shields.io. Its schema is `schemas/badge.schema.json`. */
export default (({ certificate: { verdict, selected, summary, drift, target } }) => {
  const shown = selected?.verdict ?? verdict;
  const counts =
    selected === undefined ? describeCounts(summary) : `${describeCounts(selected.cases)} of the selected cases`;
  const drifted = drift.length === 0 ? '' : `, ${drift.length} drift`;
  return {
    json: {
      schemaVersion: 1,
      label: target.is_reference ? 'reference deployment' : 'promotion validation',
      message: `${shown.replaceAll('-', ' ')}: ${counts}${drifted}${target.adapter === undefined ? '' : ', through an adapter'}`,
      // Drift fails a pipeline, even if the target conforms.
      color: shown === 'conforms' && drift.length > 0 ? 'orange' : colors[shown],
    },
  };
}) satisfies Output;
