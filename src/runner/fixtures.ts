/** The fixture that opens a target once per worker of Playwright, examines it, and hands it to the tests. */

import path from 'node:path';
import { test as base } from '@playwright/test';
import type { RunStartReport, startTargetRun, TargetRun } from '../certify/target-run.js';
import type { LiveRunInputs } from '../config/run-inputs.js';
import { removeResults } from '../outputs/result-files.js';
import { codeFolder } from '../support/package-root.js';
import { hideMessagesOfErrors } from '../support/problem.js';
import { type ConformanceUseOptions, loadProjectInputs, readProcessSharedValue } from './options.js';

const certificateReporter = path.join(codeFolder, 'src', 'runner', 'certificate-reporter');

/** Playwright loads this file in its main process, too, which sends nothing and needs no HTTP client. */
async function startRun(inputs: LiveRunInputs, options: Parameters<typeof startTargetRun>[2]) {
  const { openTarget } = await import('../certify/open-target.js');
  const { startTargetRun } = await import('../certify/target-run.js');
  const channel = await openTarget(inputs.connection);
  return { channel, run: await startTargetRun(inputs, channel, options) };
}

export interface RunFixture extends TargetRun {
  /** Whether the certificate reporter reads the results. Without it, Playwright's own status is the only verdict. */
  readonly isCertified: boolean;
  /** Returns what is known before the first case, once: the first test of a worker reports it. */
  readonly takeStart: () => RunStartReport | undefined;
}

export const test = base.extend<object, ConformanceUseOptions & { readonly run: RunFixture }>({
  target: [undefined, { option: true, scope: 'worker' }],
  conformance: [{}, { option: true, scope: 'worker' }],
  run: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright asks for a destructured first argument.
    async ({}, use, { config, project, workerIndex }) => {
      // Playwright's main process ends the run when the terminal is closed.
      process.on('SIGHUP', () => undefined);
      // Not the fixture `target`: tests of users have another one of that name.
      const inputs = loadProjectInputs(project.use, config);
      // Without the certificate reporter, the certificate of an earlier run would look like that of this one.
      const isCertified = config.reporter.some(([name]) => name.startsWith(certificateReporter));
      if (!isCertified) removeResults(inputs.settings.destination.out);
      const part = (config.shard?.current ?? 1) - 1;
      const suffix = part + workerIndex === 0 ? '' : `@${part}.${workerIndex}`;
      const plannedCases = readProcessSharedValue('plannedCases')?.[project.name] ?? [];
      const { run, channel } = await hideMessagesOfErrors(() => startRun(inputs, { plannedCases, suffix }));
      const unreported = [run.start];
      await use({ ...run, isCertified, takeStart: () => unreported.pop() });
      await channel.close();
    },
    { scope: 'worker' },
  ],
});
