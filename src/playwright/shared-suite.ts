import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { loadSuite, ownFolder, type Suite, suiteFiles } from '../cases/suite.js';
import { holdingOf } from '../targets/target-file.js';

/** Names the file with the expanded suite to the processes of a run, which inherit the environment. */
const variable = 'CONFORMANCE_SUITE';

interface Shared {
  readonly signature: string;
  readonly suite: Suite;
}

let ofThisProcess: Shared | undefined;

/**
 * The suite as it is for the target, loaded once per run: a run has several processes, and one more after every failing test, to which the
 * first hands over what it has expanded. Files that were edited since are loaded anew, as UI mode needs.
 *
 * @throws UnusableInput as `loadSuite`
 */
export function suiteOfRun(): Suite {
  const { holding, files } = holdingOf(process.env);
  const signature = signatureOf(files);
  if (ofThisProcess?.signature === signature) return ofThisProcess.suite;
  const file = process.env[variable];
  const handedOver = file === undefined ? undefined : (deserialize(readFileSync(file)) as Shared);
  ofThisProcess =
    handedOver?.signature === signature ? handedOver : { signature, suite: loadSuite(ownFolder, holding) };
  return ofThisProcess.suite;
}

/** Hands the suite over to processes that are started from now on; returns how to take it back. */
export function shareSuite(): () => void {
  const suite = suiteOfRun();
  if (process.env[variable] !== undefined) return () => undefined;
  const folder = mkdtempSync(path.join(tmpdir(), 'conformance-'));
  const file = path.join(folder, 'suite');
  writeFileSync(file, serialize({ signature: signatureOf(holdingOf(process.env).files), suite } satisfies Shared));
  process.env[variable] = file;
  return () => {
    rmSync(folder, { recursive: true, force: true });
    delete process.env[variable];
  };
}

/** @param files that say what the target holds: the cases depend on it */
function signatureOf(files: readonly string[]): string {
  return [...suiteFiles(), ...files]
    .map((file) => {
      const { mtimeMs, size } = statSync(file);
      return `${file} ${mtimeMs} ${size}`;
    })
    .join('\n');
}
