import { isOwnCase, type Suite } from '../../cases/suite.js';
import type { ShownResult } from '../../engine/case-result.js';
import { formatLocation } from '../../support/problem.js';
import type { Certificate } from '../certificate.js';
import { dropAdditions } from '../drift-text.js';
import { createResponseRenderer, type ResponseRenderer } from '../exchange-text.js';
import { renderBrokenCase } from '../failure-text.js';
import { escapeMarkup } from '../markup.js';
import { describeSharedReasons } from '../shared-reasons.js';

/**
 * The results as JUnit XML, for continuous integration: a test for each case that was to be run, what fails or drifts
 * as a failure, what could not be judged as skipped, with the reason.
 */
export function renderJunit(certificate: Certificate, suite: Suite, all: readonly ShownResult[]): string {
  const results = dropAdditions(all);
  const { target, verdict, profile } = certificate;
  const partOf = new Map([...certificate.requirements, ...certificate.questions].map(({ id, part }) => [id, part]));
  const responseText = createResponseRenderer(suite.world);
  const testCases = new Map(suite.cases.map((testCase) => [testCase.id, testCase]));
  const kindOf = ({ id }: ShownResult) => testCases.get(id)?.kind ?? 'requirement';
  const ofSuite = results.filter((result) => !isOwnCase(result));
  const kinds = (['requirement', 'question'] as const).map((kind) => ({
    name: `${kind}s`,
    own: ofSuite.filter((result) => kindOf(result) === kind),
  }));
  const added =
    suite.own === undefined ? [] : [{ name: `own cases: ${suite.own.folder}`, own: results.filter(isOwnCase) }];
  const groups = [...kinds, ...added].map(({ name: group, own }) => {
    const tests = own.map((result) => {
      const title = testCases.get(result.id)?.title;
      const properties = propertiesText([
        [kindOf(result), result.subject],
        ['part', partOf.get(result.subject)],
        ['at', formatLocation(result.at)],
        ['outcome', result.outcome],
      ]);
      const name = title === undefined ? result.id : `${result.id}: ${title}`;
      return `<testcase${attributes({ name, classname: result.subject })}>\n${properties}${ending(result, target.base_url, responseText)}</testcase>\n`;
    });
    return { name: group, counts: countsOf(own), tests };
  });
  const head = propertiesText([
    ['target', target.is_reference ? 'the reference deployment, which comes with the suite' : target.name],
    ['base_url', target.base_url],
    ['verdict', verdict],
    ['suite', `${certificate.suite.name} ${certificate.suite.version}`],
    ['profile', profile?.name],
    ['rows', profile && `${profile.rows} of ${profile.rows_of}`],
    ['known faults caught', profile && `${profile.faults_caught} of ${profile.faults_known}`],
    ...describeSharedReasons(certificate).map((text): [string, string] => ['unjudged', text]),
  ]);
  const seconds = (certificate.duration_ms / 1_000).toFixed(3);
  const sums = { name: `${target.name}: ${verdict}`, ...countsOf(results), time: seconds };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<testsuites${attributes(sums)}>\n`,
    ...groups.map(({ name, counts, tests }) => {
      const opening = attributes({ name, timestamp: certificate.started_at, ...counts });
      return `<testsuite${opening}>\n${head}${tests.join('')}</testsuite>\n`;
    }),
    '</testsuites>\n',
  ].join('');
}

/** What JUnit knows of how a test ended. */
type Ended = 'failures' | 'errors' | 'skipped' | 'passed';

function endOf({ verdict, drift }: Pick<ShownResult, 'verdict' | 'drift'>): Ended {
  if (verdict === 'error') return 'errors';
  if (verdict === 'fail' || drift.length > 0) return 'failures';
  return verdict === 'pass' ? 'passed' : 'skipped';
}

function countsOf(results: readonly ShownResult[]): Record<string, string> {
  const count = (end: Ended) => String(results.filter((result) => endOf(result) === end).length);
  return {
    tests: String(results.length),
    failures: count('failures'),
    errors: count('errors'),
    skipped: count('skipped'),
  };
}

function ending(result: ShownResult, baseUrl: string, responseText: ResponseRenderer): string {
  const { verdict, reason } = result;
  const end = endOf(result);
  if (end === 'passed') return '';
  if (end === 'skipped') return `<skipped${attributes({ message: `${verdict}: ${reason}` })}/>\n`;
  const name = end === 'errors' ? 'error' : 'failure';
  const { kind, text } = renderBrokenCase(result, baseUrl, responseText);
  const [first = ''] = kind === 'drift' ? text.split('\n') : [reason];
  const lines = text.split('\n').map(escapeMarkup).join('\n');
  return `<${name}${attributes({ message: first, type: kind })}>${lines}</${name}>\n`;
}

function propertiesText(properties: readonly (readonly [name: string, value: string | undefined])[]): string {
  const lines = properties.flatMap(([name, value]) =>
    value === undefined ? [] : [`<property${attributes({ name, value })}/>\n`],
  );
  return `<properties>\n${lines.join('')}</properties>\n`;
}

function attributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeMarkup(value)}"`)
    .join('');
}
