import { renderHeadline } from '../counts.js';
import { renderCodeBlock } from '../markdown.js';
import type { OutputRenderer } from '../output.js';
import { renderRunReport } from '../terminal/run-report.js';
import { viewDataDecisions } from '../view-data-decisions.js';

export default (({ certificate }) => {
  const report = renderCodeBlock('text', renderRunReport(certificate).replace(/^\n/, '').trimEnd());
  const decisions = viewDataDecisions(certificate) ?? false;
  return { view: { headline: renderHeadline(certificate), name: certificate.target.name, report, decisions } };
}) satisfies OutputRenderer;
