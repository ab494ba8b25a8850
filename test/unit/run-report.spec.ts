import { expect, test } from '@playwright/test';
import { addColors } from '../../src/outputs/terminal/colors.js';
import { renderRunReport } from '../../src/outputs/terminal/run-report.js';
import { type Answer, channelTo, createReference, suite } from '../support/in-process.js';
import { createIndependentDeployment } from '../support/independent-deployment.js';
import { runWithEvidence } from '../support/run-with-evidence.js';

/** The report of a run. */
async function reportOf(answer: Answer): Promise<string[]> {
  const { certificate } = await runWithEvidence(channelTo(answer));
  return renderRunReport(certificate, { certificate: 'certificate.json', files: [] }).trimEnd().split('\n');
}

const [window, customer, filter] = ['window-of-149', 'customer-ignored', 'metadata-filter-ignored'].map((fault) =>
  createReference({ faults: [fault] }),
) as [Answer, Answer, Answer];

test.describe('A run is reported on one screen:', () => {
  test('a conforming one', async () => {
    const lines = await reportOf(createIndependentDeployment(suite.world));
    expect(lines.length).toBeLessThanOrEqual(25);
    expect(lines).toContain(`All ${suite.contract.requirements.length} requirements pass.`);
  });

  test('one with one cause, which is said first and once, with a command that shows it', async () => {
    const lines = await reportOf(createReference({ faults: ['window-of-100'] }));
    expect(lines.length).toBeLessThanOrEqual(50);
    const cause = /newest 100 promotion tiers, not the newest 150/;
    expect(lines.findIndex((line) => cause.test(line))).toBeLessThan(10);
    expect(lines.filter((line) => cause.test(line))).toHaveLength(1);
    const example = lines.findIndex((line) => /^ {3}fail .* \S+\.yaml:\d+:\d+$/.test(line));
    expect(lines[example + 2]).toMatch(/^ {3}curl -gi -X GET .*}'$/);
    // Failing requirements are the first ones.
    const verdicts = lines.flatMap((line) => /^ {2}(fail|inconclusive|pass) /.exec(line)?.[1] ?? []);
    expect(verdicts).toEqual([...verdicts].sort());
    expect(verdicts).not.toContain('pass');
  });

  const answers: Readonly<Record<string, readonly [answer: Answer, says: RegExp]>> = {
    'one where everything fails': [
      () => ({ status: 500, headers: [], body: '{"error":"boom"}' }),
      /answers 500 to every request/,
    ],
    'one with several causes': [
      (request) => {
        if (request.path.includes('metadata.')) return filter(request);
        return request.body?.includes('"expand"') ? window(request) : customer(request);
      },
      /^1\. /,
    ],
  };
  for (const [what, [answer, says]] of Object.entries(answers))
    test(what, { tag: what === 'one with several causes' ? '@long' : [] }, async () => {
      const lines = await reportOf(answer);
      expect(lines.length).toBeLessThanOrEqual(50);
      expect(lines.findIndex((line) => says.test(line))).toBeLessThan(10);
      expect(lines.findIndex((line) => says.test(line))).toBeGreaterThan(0);
    });
});

test('Colors are shown where the output has them', () => {
  const report = '\n  fail  a.b  x\nDOES-NOT-CONFORM  shop\n';
  const terminal = { isTTY: true };
  const rows: readonly (readonly [Record<string, string>, { isTTY?: boolean }, isColored: boolean])[] = [
    [{}, terminal, true],
    [{}, {}, false],
    [{ CI: 'true' }, {}, true],
    [{ FORCE_COLOR: '1' }, {}, true],
    [{ FORCE_COLOR: '0' }, terminal, false],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, terminal, false],
    [{ TERM: 'dumb' }, terminal, false],
  ];
  for (const [env, stdout, isColored] of rows)
    expect(addColors(report, { env, stdout }) !== report, JSON.stringify(env)).toBe(isColored);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors are control characters.
  expect(addColors(report, { env: { FORCE_COLOR: '1' }, stdout: {} }).replaceAll(/\u001b\[\d+m/g, '')).toBe(report);
});
