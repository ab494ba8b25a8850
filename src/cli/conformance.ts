#!/usr/bin/env node
import { main } from './command-line.js';

/** A mistake in the suite itself (EX_SOFTWARE of sysexits.h), so that no crash looks like a verdict. */
const mistake = 70;

try {
  process.exitCode = await main(process.argv);
} catch (error) {
  console.error(error);
  process.exitCode = mistake;
}
