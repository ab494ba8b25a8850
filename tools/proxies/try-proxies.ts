import { certifyThrough, isInstalled } from './certify-through.js';
import { software } from './software.js';

/** Certifies the reference deployment through ordinary software, and prints how each run ended. Arguments select by name. */
const wanted = process.argv.slice(2).map((word) => word.toLowerCase());
process.stdout.write('| software | variant | exit status | verdict | first cause |\n|---|---|---|---|---|\n');
for (const program of software)
  for (const [name, variant] of Object.entries(program.variants)) {
    const title = `${program.name} ${name}`.toLowerCase();
    if (!isInstalled(program, variant) || !wanted.every((word) => title.includes(word))) continue;
    const { status, verdict, cause } = await certifyThrough(program, variant);
    const isExpected = verdict === variant.verdict && variant.cause.test(cause);
    const end = isExpected ? cause : `UNEXPECTED: ${cause}`;
    process.stdout.write(`| ${program.name} | ${name} | ${status} | ${verdict} | ${end} |\n`);
    if (!isExpected) process.exitCode = 1;
  }
