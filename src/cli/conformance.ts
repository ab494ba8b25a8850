#!/usr/bin/env node
import { statusOfMistake } from './exit-status.js';
import { main } from './main.js';

try {
  process.exitCode = await main(process.argv);
} catch (error) {
  process.exitCode = statusOfMistake(error);
}
