#!/usr/bin/env node
import { ignoreClosedOutput } from '../support/problem.js';
import { reportInternalError } from './exit-status.js';
import { main } from './main.js';

// Such as `conformance list cases | head`.
ignoreClosedOutput();
try {
  process.exitCode = await main(process.argv);
} catch (error) {
  process.exitCode = reportInternalError(error);
}
