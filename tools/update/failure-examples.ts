import { createDeployment } from '../../reference/deployment/deployment.js';
import { findFault } from '../../reference/faults/index.js';
import { ReportedRun } from '../../src/certify/reported-run.js';
import { runPlannedCases } from '../../src/certify/target-run.js';
import { loadRunInputs } from '../../src/config/run-inputs.js';
import { renderRunReport } from '../../src/outputs/terminal/run-report.js';
import { repetitionCaseId } from '../../src/run/case-result.js';
import { computeOnce } from '../../src/support/caches.js';
import { createTimedChannel, inProcessCredentials } from '../proof/judge-deployment.js';

/** The documents with examples of failing runs. */
export const documentsWithExamples = ['README.md', 'docs/reading-a-failure.md'];

export const baseUrl = 'http://127.0.0.1:8080';
const maxLineLength = 170;

/** A comment that names a fault, then the block with what a run on a deployment with this fault prints. */
const example = /(<!-- example: (\S+)(, beginning)? -->\n```text\n)[\s\S]*?(```\n)/g;

const reports = new Map<string, () => Promise<string>>();

/** What a user reads in the terminal who certifies the reference deployment with a fault. */
export function renderReport(fault: string): Promise<string> {
  const render = reports.get(fault) ?? computeOnce(() => certifyFault(fault));
  reports.set(fault, render);
  return render();
}

async function certifyFault(fault: string): Promise<string> {
  const [CLIENT_APPLICATION_ID, CLIENT_TOKEN] = ['an-application', 'a-token-of-an-example'];
  const { settings, ...inputs } = loadRunInputs({ baseUrl }, { CLIENT_APPLICATION_ID, CLIENT_TOKEN });
  const named = { ...inputs, settings: { ...settings, target: { ...settings.target, name: 'shop' } } };
  const { world, cases } = named.suite;
  const plannedCases = [...cases.map(({ id }) => id), repetitionCaseId];
  const faults = [findFault(fault)];
  const channel = createTimedChannel(createDeployment({ world, credentials: inProcessCredentials, faults }));
  const judged = await runPlannedCases(named, channel, { plannedCases });
  const { certificate } = await new ReportedRun(new Set(plannedCases), named).addAll(judged).certify();
  return renderRunReport(certificate, { certificate: 'results/shop/certificate.html' }).trim();
}

/** The report up to the list of requirements. Long lines are cut. */
function takeBeginning(report: string): string {
  const lines = report
    .slice(0, report.search(/^ {2}(?:fail|inconclusive) /m))
    .trim()
    .split('\n');
  const shown = lines.map((line) => (line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line));
  return [...shown, '…'].join('\n');
}

/** Fills the examples of a document. */
export async function fillExamples(text: string): Promise<string> {
  const faults = new Set(Array.from(text.matchAll(example), ([, , fault = '']) => fault));
  const shown = new Map<string, string>();
  for (const fault of faults) shown.set(fault, await renderReport(fault));
  return text.replaceAll(example, (_, before: string, fault: string, beginning: string | undefined, end: string) => {
    const report = shown.get(fault) ?? '';
    return `${before}${beginning === undefined ? report : takeBeginning(report)}\n${end}`;
  });
}
