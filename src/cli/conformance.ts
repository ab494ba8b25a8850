#!/usr/bin/env node
// Nothing else is imported before the version of Node.js is known: other modules do not load in an older one.
import { readNeededNodeVersion } from '../support/package-root.js';

settleColors(process.env);

const [major = 0, minor = 0] = parseVersion(process.versions.node);
const [neededMajor = 0, neededMinor = 0] = parseVersion(readNeededNodeVersion());

if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) {
  const { runCommandLine } = await import('./run-command-line.js');
  await runCommandLine();
} else {
  process.stderr.write(
    `This is Node.js ${process.versions.node}, but the suite needs ${neededMajor}.${neededMinor} or newer. Install it, or select it with nvm, volta or actions/setup-node.\n`,
  );
  // Unusable input: other statuses are verdicts on a deployment.
  process.exitCode = 2;
}

function parseVersion(text: string): number[] {
  return (/\d+\.\d+/.exec(text)?.[0] ?? '').split('.').map(Number);
}

/**
 * Node.js warns before anything else if FORCE_COLOR is set beside a variable that turns colors off, and ignores that
 * variable. Playwright sets FORCE_COLOR in its workers. With FORCE_COLOR=0 alone there are no colors, and no warning.
 */
function settleColors(environment: NodeJS.ProcessEnv): void {
  const { NO_COLOR = '', NODE_DISABLE_COLORS = '' } = environment;
  if (NO_COLOR === '' && NODE_DISABLE_COLORS === '') return;
  environment.FORCE_COLOR ??= '0';
  delete environment.NO_COLOR;
  delete environment.NODE_DISABLE_COLORS;
}
