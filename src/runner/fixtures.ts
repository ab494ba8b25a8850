import { test as base } from '@playwright/test';
import { type ConformanceOptions, loadProject, readPlannedCases } from './options.js';
import { disableStackMapping } from './stack-mapping.js';
import { openWorkerRun, type WorkerRun } from './worker-run.js';

// Before the first test, whose set-up makes errors.
disableStackMapping();

/** The tests of cases: with the options of the project, and the run of the worker. */
export const test = base.extend<object, ConformanceOptions & { readonly run: WorkerRun }>({
  target: [undefined, { option: true, scope: 'worker' }],
  conformance: [{}, { option: true, scope: 'worker' }],
  run: [
    async ({ target, conformance }, use, { config, project }) => {
      // Playwright's main process ends the run when the terminal is closed.
      process.on('SIGHUP', () => undefined);
      await openWorkerRun(loadProject({ target, conformance }, config), readPlannedCases(project.name), use);
    },
    { scope: 'worker' },
  ],
});
