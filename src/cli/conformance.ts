#!/usr/bin/env node
import { reportInternalError } from './exit-status.js';
import { main } from './main.js';

try {
  process.exitCode = await main(process.argv);
} catch (error) {
  process.exitCode = reportInternalError(error);
}
