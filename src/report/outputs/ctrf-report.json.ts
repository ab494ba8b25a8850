import type { Output } from '../output.js';
import { listTestEntries, type TestEntry } from '../test-entries.js';

/** Renders the results in the Common Test Report Format (https://ctrf.io), a test per case. Times are in milliseconds. */
export default ((view) => {
  const { target, verdict, suite, causes = [], started_at, duration_ms, requests_sent } = view.certificate;
  const tests = listTestEntries(view).map(renderTest);
  const count = (wanted: string) => tests.filter(({ status }) => status === wanted).length;
  const start = Date.parse(started_at);
  return {
    json: {
      reportFormat: 'CTRF',
      specVersion: '1.0.0',
      timestamp: started_at,
      generatedBy: `${suite.name} ${suite.version}`,
      results: {
        tool: { name: suite.name, version: suite.version },
        summary: {
          tests: tests.length,
          passed: count('passed'),
          failed: count('failed'),
          skipped: count('skipped'),
          pending: 0,
          other: 0,
          start,
          stop: start + duration_ms,
          duration: duration_ms,
        },
        tests,
        environment: { appName: target.name, ...(target.version === undefined ? {} : { appVersion: target.version }) },
        extra: { verdict, base_url: target.base_url, requests_sent, causes: causes.map(({ sentence }) => sentence) },
      },
    },
  };
}) satisfies Output;

function renderTest({ result, group, kind, title, part, tags, status }: TestEntry) {
  const { subject, at, outcome, durationMs, verdict } = result;
  return {
    name: title,
    status: status.is === 'error' ? 'failed' : status.is,
    duration: Math.round(durationMs),
    suite: [group, ...(part === undefined ? [] : [part])],
    ...(status.is === 'passed' ? {} : { message: status.message }),
    ...('details' in status ? { trace: status.details } : {}),
    line: at.line,
    rawStatus: 'type' in status ? status.type : verdict,
    tags,
    filePath: at.file,
    labels: { [kind]: subject, ...(outcome === undefined ? {} : { outcome }) },
  };
}
