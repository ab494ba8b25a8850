import { formatLocation } from '../../support/problem.js';
import { noXml, type Xml, xml } from '../markup.js';
import type { Output } from '../output.js';
import { describeSharedReasons } from '../shared-reasons.js';
import { listTestEntries, type TestEntry } from '../test-entries.js';

/** Renders the results as JUnit XML, a test per case, for continuous integration. */
export default ((view) => {
  const { target, verdict, profile, suite, causes = [], started_at, duration_ms } = view.certificate;
  const entries = listTestEntries(view);
  const groups = new Set(['requirements', 'questions', ...entries.map(({ group }) => group)]);
  const head = properties([
    ['target', target.is_reference ? 'the reference deployment, which comes with the suite' : target.name],
    ['base_url', target.base_url],
    ['through an adapter', target.adapter && `${target.adapter.name}, ${target.adapter.digest}`],
    ['verdict', verdict],
    ['suite', `${suite.name} ${suite.version}`],
    ['profile', profile?.name],
    ['rows', profile && `${profile.rows} of ${profile.rows_of}`],
    ['known faults caught', profile && `${profile.faults_caught} of ${profile.faults_known}`],
    ...causes.map(({ sentence, evidence }) => ['cause', [sentence, ...evidence].join(' ')] as const),
    ...describeSharedReasons(view.certificate).map((text) => ['unjudged', text] as const),
  ]);
  return xml`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${target.name}: ${verdict}"${counts(entries)} time="${seconds(duration_ms)}">
${[...groups].map((group) => {
  const own = entries.filter((entry) => entry.group === group);
  const time = seconds(own.reduce((sum, { result }) => sum + result.durationMs, 0));
  return xml`<testsuite name="${group}" timestamp="${started_at}"${counts(own)} time="${time}">
${head}${own.map(testCase)}</testsuite>
`;
})}</testsuites>
`;
}) satisfies Output;

function counts(entries: readonly TestEntry[]): Xml {
  const count = (wanted: string) => entries.filter(({ status }) => status.is === wanted).length;
  return xml` tests="${entries.length}" failures="${count('failed')}" errors="${count('error')}" skipped="${count('skipped')}"`;
}

function testCase({ result, kind, title, part, status }: TestEntry): Xml {
  const { subject, at, outcome, durationMs } = result;
  const details = properties([
    [kind, subject],
    ['part', part],
    ['at', formatLocation(at)],
    ['outcome', outcome],
  ]);
  return xml`<testcase name="${title}" classname="${subject}" file="${at.file}" time="${seconds(durationMs)}">
${details}${ending(status)}</testcase>
`;
}

function ending(status: TestEntry['status']): Xml {
  if (status.is === 'passed') return noXml;
  if (status.is === 'skipped') return xml`<skipped message="${status.message}"/>\n`;
  const { message, type } = status;
  const lines = status.details.split('\n').map((line, n) => (n === 0 ? xml`${line}` : xml`\n${line}`));
  return status.is === 'error'
    ? xml`<error message="${message}" type="${type}">${lines}</error>\n`
    : xml`<failure message="${message}" type="${type}">${lines}</failure>\n`;
}

function properties(all: readonly (readonly [name: string, value: string | undefined])[]): Xml {
  const lines = all.map(([name, value]) =>
    value === undefined ? noXml : xml`<property name="${name}" value="${value}"/>\n`,
  );
  return xml`<properties>\n${lines}</properties>\n`;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(3);
}
