import { expect, test } from '@playwright/test';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { addColors } from '../../src/report/terminal/colors.js';
import { renderRunReport } from '../../src/report/terminal/run-report.js';
import { makeTestFolder, runConformance } from './support/cli.js';
import { certifyInProcess, suite } from './support/in-process.js';
import { createIndependentDeployment, listen } from './support/independent-deployment.js';

const cwd = makeTestFolder();

const env = { CLIENT_APPLICATION_ID: 'the-application', CLIENT_TOKEN: 'the-token-0815' };

async function certify(answer: (request: HttpRequest) => HttpResponse, ...args: string[]) {
  const { url, close } = await listen(answer);
  const { status, output } = await runConformance(['certify', url, '--out', 'out', ...args], { cwd, env });
  await close();
  return { status, output, lines: output.trimEnd().split('\n') };
}

/** The report of the same run, made in this process. */
async function reportInProcess(answer: (request: HttpRequest) => HttpResponse): Promise<string[]> {
  const { certificate } = await certifyInProcess(answer);
  return renderRunReport(certificate, { certificate: 'certificate.json', files: [] }).trimEnd().split('\n');
}

const failing = (lines: readonly string[]) => lines.findIndex((line) => line.startsWith('  fail  '));

test.describe('A run is reported on one screen:', () => {
  test('a conforming one, with a line per requirement', async () => {
    const lines = await reportInProcess(createIndependentDeployment(suite.world));
    expect(lines.length).toBeLessThanOrEqual(40);
    for (const { id } of suite.contract.requirements)
      expect(lines.filter((line) => line.startsWith(`  pass  ${id} `))).toHaveLength(1);
  });

  test('one with one cause, which is said first and once', async () => {
    const { status, lines } = await certify(createIndependentDeployment(suite.world, { violation: 'window-100' }));
    expect(status).toBe(1);
    expect(lines.length).toBeLessThanOrEqual(80);
    const cause = /newest 100 promotion tiers, not the newest 150/;
    expect(lines.findIndex((line) => cause.test(line))).toBeLessThan(10);
    expect(lines.filter((line) => cause.test(line))).toHaveLength(1);
    // Failing requirements are the first ones, and the failures follow.
    const verdicts = lines.flatMap((line) => /^ {2}(fail|inconclusive|pass) /.exec(line)?.[1] ?? []);
    expect(verdicts).toEqual([...verdicts].sort());
    const example = lines.findIndex((line) => /^1\. fail .* \S+\.yaml:\d+:\d+$/.test(line));
    expect(example).toBeGreaterThan(failing(lines));
    expect(lines.join('\n')).toMatch(/^ +> +\d+ \| /m);
    expect(lines.join('\n')).not.toContain('Error Context');
  });

  test('one where everything fails', async () => {
    const refusal = { status: 500, headers: [], body: '{"error":"boom"}' };
    const lines = await reportInProcess(() => refusal);
    expect(lines.length).toBeLessThanOrEqual(80);
    expect(lines.findIndex((line) => line.includes('answers 500 to every request'))).toBeLessThan(10);
  });

  test('with several causes, too', async () => {
    const one = createIndependentDeployment(suite.world, { violation: 'window-149' });
    const other = createIndependentDeployment(suite.world, { violation: 'ignores-customer' });
    const third = createIndependentDeployment(suite.world, { violation: 'ignores-metadata-filter' });
    const lines = await reportInProcess((request) => {
      if (request.path.includes('metadata.')) return third(request);
      return request.body?.includes('"expand"') ? one(request) : other(request);
    });
    expect(lines.length).toBeLessThanOrEqual(80);
    expect(failing(lines)).toBeGreaterThan(0);
  });
});

test('--verbose lists every test', async () => {
  const { lines } = await certify(createIndependentDeployment(suite.world), '--only', 'quantity-zero', '--verbose');
  expect(lines.filter((line) => /^ +✓ .*quantity-zero: /.test(line))).toHaveLength(1);
  expect(lines.some((line) => line.startsWith('CONFORMS'))).toBe(true);
});

test('Colors are shown where the output has them', () => {
  const report = '\n  fail  a.b  x\nDOES-NOT-CONFORM  shop\n';
  const terminal = { isTTY: true };
  const colored = (env: Record<string, string>, stdout: { isTTY?: boolean }) =>
    addColors(report, { env, stdout }) !== report;
  expect(colored({}, terminal)).toBe(true);
  expect(colored({}, {})).toBe(false);
  expect(colored({ CI: 'true' }, {})).toBe(true);
  expect(colored({ FORCE_COLOR: '1' }, {})).toBe(true);
  expect(colored({ FORCE_COLOR: '0' }, terminal)).toBe(false);
  expect(colored({ NO_COLOR: '1', FORCE_COLOR: '1' }, terminal)).toBe(false);
  expect(colored({ TERM: 'dumb' }, terminal)).toBe(false);
  // Nothing else changes.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors are control characters.
  expect(addColors(report, { env: { FORCE_COLOR: '1' }, stdout: {} }).replaceAll(/\u001b\[\d+m/g, '')).toBe(report);
});
