import path from 'node:path';
import type { Certificate } from '../../certificate/certificate.js';
import { findCertificateMismatches, readCertificate } from '../../certificate/find-certificate-mismatches.js';
import { parseRunToRejudge, rejudgeRun } from '../../certify/recorded-run.js';
import { describeScope } from '../../outputs/counts.js';
import { findRunFile } from '../../outputs/result-files.js';
import { loadSuite, packageCasesFolder } from '../../suite/suite.js';
import { computeDigest, computeTextDigest } from '../../support/digest.js';
import { createInputError, readInputFile } from '../../support/problem.js';
import { fileSizeLimits } from '../../support/read-bytes.js';
import { decodeText } from '../../support/text-file.js';
import { joinAndEscapeLines } from '../../support/untrusted-text.js';
import { exitStatus } from '../exit-status.js';
import type { ConfigureCommand } from '../flags.js';

export default ((command, end) => {
  command
    .description('judge the evidence of a run again, and say what differs from the certificate; nothing is sent')
    .argument('<certificate>', 'a certificate.json with its evidence in the same folder, or that folder')
    .option('--cases <folder>', 'with your own cases of the run (default: the folder that the certificate names)')
    .option('--data <file>', 'with the data file of the run (default: the one that the certificate names)')
    .action(async (named: string, options: { cases?: string; data?: string }) => {
      const lines = await verify(findRunFile(named, 'certificate.json'), options);
      process.stdout.write(joinAndEscapeLines(lines));
      end(lines[0]?.startsWith('AGREES') ? exitStatus.conforms : exitStatus['does-not-conform']);
    });
}) satisfies ConfigureCommand;

/** Whether something, such as Git on Windows, changed nothing of the evidence but its line ends, which no text in it has. */
function isConvertedText(content: Buffer, digest: string): boolean {
  return computeDigest(content) !== digest && computeTextDigest(decodeText(content)) === digest;
}

function renderConversionNote(file: string): string {
  return `Only the line ends or the encoding of ${file} differ from those of the run, so it says the same. Git may have changed them on checkout: the line '*.har -text' in .gitattributes prevents that.`;
}

/** The verdict of a run, and the scope that limits it. */
function describeStatedVerdict(certificate: Certificate): string {
  const { verdict } = certificate;
  return verdict === 'conforms' ? `${verdict}${describeScope(certificate)}` : verdict;
}

/** Judges the evidence of a certificate again. @returns the lines to print */
async function verify(file: string, { cases, data }: { cases?: string; data?: string }): Promise<string[]> {
  const certificate = readCertificate(file);
  const { evidence: stated, own_cases: ownCases, suite: judge } = certificate;
  if (stated === undefined) throw createInputError(file, 'names no evidence', 'Name the certificate.json of a run.');
  const evidenceFile = path.join(path.dirname(file), path.basename(stated.file));
  const content = readInputFile(evidenceFile, 'A run writes the evidence beside its certificate.', {
    limit: fileSizeLimits.evidence,
  });
  const recorded = parseRunToRejudge(content, evidenceFile, data);
  const suite = loadSuite(packageCasesFolder, recorded.settings.availability, cases ?? ownCases?.folder);
  const { certificate: rejudged } = await (await rejudgeRun(recorded, suite)).certify();
  const isConverted = isConvertedText(content, stated.digest);
  const digest = isConverted ? stated.digest : computeDigest(content);
  const evidence = { ...stated, digest, exchanges: recorded.evidence.exchanges.length };
  const differences = findCertificateMismatches(certificate, { ...rejudged, evidence });
  const note = `The installed suite (${suite.version}, ${suite.digest}) judged the evidence, not that of the certificate (${judge.version}, ${judge.digest}). Differences may come from that.`;
  return [
    differences.length === 0 ? `AGREES  ${file}: ${describeStatedVerdict(certificate)}` : `DIFFERS  ${file}`,
    ...differences.map((line) => `  ${line}`),
    ...(isConverted ? [renderConversionNote(evidenceFile)] : []),
    ...(suite.digest === judge.digest ? [] : [note]),
  ];
}
