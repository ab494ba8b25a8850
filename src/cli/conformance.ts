#!/usr/bin/env node
import { Mistake } from '../support/foreign-error.js';
import { exitStatus } from './exit-status.js';
import { main } from './main.js';

try {
  process.exitCode = await main(process.argv);
} catch (error) {
  process.stderr.write(`${new Mistake(error).message}\n`);
  process.exitCode = exitStatus.mistake;
}
