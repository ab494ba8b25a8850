#!/usr/bin/env node
// Nothing else is imported before the version of Node.js is known: other modules do not load in an older one.
import { describeNeededVersion, isNewEnough, readNeededVersions } from '../support/needed-versions.js';
import { settleColors } from '../support/settle-colors.js';

settleColors(process.env);

const needed = readNeededVersions().node;

if (isNewEnough(process.versions.node, needed)) {
  const { runCommandLine } = await import('./run-command-line.js');
  await runCommandLine();
} else {
  process.stderr.write(
    `This is Node.js ${process.versions.node}, but the suite needs ${describeNeededVersion(needed)}. Install it, or select it with nvm, volta or actions/setup-node.\n`,
  );
  // Unusable input: other statuses are verdicts on a deployment.
  process.exitCode = 2;
}
