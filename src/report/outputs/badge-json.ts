import type { Certificate, RunVerdict } from '../certificate.js';
import { describeCounts } from '../counts.js';

const shownAs: Readonly<Record<RunVerdict, { readonly words: string; readonly color: string }>> = {
  conforms: { words: 'conforms', color: 'brightgreen' },
  'does-not-conform': { words: 'does not conform', color: 'red' },
  incomplete: { words: 'incomplete', color: 'yellow' },
};

/**
 * Verdict and counts as JSON of the endpoint format of shields.io, from which such a service draws a badge. Its schema
 * is `schemas/badge.schema.json`. Nothing in it is of the deployment's own words.
 */
export function renderBadge({ verdict, selected, summary, drift, target }: Certificate): string {
  const { words, color } = shownAs[selected?.verdict ?? verdict];
  const counts =
    selected === undefined ? describeCounts(summary) : `${describeCounts(selected.cases)} of the selected cases`;
  const drifted = drift.length === 0 ? '' : `, ${drift.length} drift`;
  const badge = {
    schemaVersion: 1,
    label: target.is_reference ? 'reference deployment' : 'promotion validation',
    message: `${words}: ${counts}${drifted}`,
    // A record that no longer holds ends a pipeline, too.
    color: color === 'brightgreen' && drift.length > 0 ? 'orange' : color,
  };
  return `${JSON.stringify(badge, null, 2)}\n`;
}
