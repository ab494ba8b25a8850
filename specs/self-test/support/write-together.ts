/**
 * Writes files that belong together, in a process of its own:
 *
 *     node write-together.js FOLDER TAG BYTES MILLISECONDS
 *
 * The files are one.txt and two.txt, each with the tag and so many bytes more. Prints `in` when it is its turn and, so
 * much later, `out`; or, on standard error, why nothing was written.
 */

import path from 'node:path';
import { writeFilesTogether } from '../../../src/report/write-files-together.js';

const [folder = '', tag = '', bytes, ms] = process.argv.slice(2);
try {
  writeFilesTogether(folder, () => {
    process.stdout.write(`${tag} in\n`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(ms));
    process.stdout.write(`${tag} out\n`);
    return ['one.txt', 'two.txt'].map((name) => ({
      file: path.join(folder, name),
      text: `${tag}\n${'x'.repeat(Number(bytes))}`,
    }));
  });
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
}
