import { type ExaminedArea, examinedAreas } from '../../run/examination/examination.js';
import type { Examination } from '../../run/examine-target.js';
import { renderReason } from '../../support/reason.js';
import { joinAndEscapeLines } from '../../support/untrusted-text.js';

const stateLabels = { fine: 'fine', problem: 'PROBLEM', unknown: '?' };

/** Renders what was found, a line each. @param isThroughTransport then nothing is known of GET */
export function renderExaminationFindings(findings: Examination['findings'], isThroughTransport = false): string {
  const width = Math.max(...examinedAreas.map((area) => area.length));
  const getName = (area: ExaminedArea) => (isThroughTransport && area === 'Body on GET' ? 'Body' : area);
  return joinAndEscapeLines(
    findings.map(
      ({ area, state, reason }) =>
        `${getName(area).padEnd(width)}  ${stateLabels[state].padEnd(7)}  ${renderReason(reason)}`,
    ),
  );
}
