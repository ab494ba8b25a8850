import { certifyThrough, isInstalled } from './certify-through.js';
import { recordRun } from './recorded-runs.js';
import { software } from './software.js';

/**
 * Certifies the reference deployment through ordinary software, prints how each run ended, and records it in
 * `recorded-runs.json`. Arguments select by name.
 */
const wanted = process.argv.slice(2).map((word) => word.toLowerCase());
const measured = new Date().toISOString().slice(0, 10);
process.stdout.write('| software | variant | exit status | verdict | first cause |\n|---|---|---|---|---|\n');
for (const program of software)
  for (const [name, variant] of Object.entries(program.variants)) {
    const title = `${program.name} ${name}`.toLowerCase();
    if (!isInstalled(program, variant) || !wanted.every((word) => title.includes(word))) continue;
    const { status, verdict, cause } = await certifyThrough(program, variant);
    const isRight = verdict === variant.verdict && variant.cause.test(cause);
    recordRun({ software: program.name, variant: name, expected: variant.verdict, verdict, isRight, measured });
    const end = isRight ? cause : `UNEXPECTED: ${cause}`;
    process.stdout.write(`| ${program.name} | ${name} | ${status} | ${verdict} | ${end} |\n`);
    if (!isRight) process.exitCode = 1;
  }
