import { examinedAreas } from '../../run/examination/examination.js';
import type { Examination } from '../../run/examine-target.js';
import { renderReason } from '../../support/reason.js';
import { joinAndEscapeLines } from '../../support/untrusted-text.js';

const stateLabels = { fine: 'fine', problem: 'PROBLEM', unknown: '?' };

/** Renders what was found, a line each. */
export function renderExaminationFindings(findings: Examination['findings']): string {
  const width = Math.max(...examinedAreas.map((area) => area.length));
  return joinAndEscapeLines(
    findings.map(
      ({ area, state, reason }) => `${area.padEnd(width)}  ${stateLabels[state].padEnd(7)}  ${renderReason(reason)}`,
    ),
  );
}
