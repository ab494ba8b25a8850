#!/usr/bin/env node
import { exitStatus } from './exit-status.js';
import { main } from './main.js';

try {
  process.exitCode = await main(process.argv);
} catch (error) {
  console.error(error);
  process.exitCode = exitStatus.mistake;
}
