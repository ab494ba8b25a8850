import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseContract } from '../../src/contract/contract.js';
import { packageCasesFolder, readSuiteFiles } from '../../src/suite/suite.js';
import { packageRoot } from '../../src/support/package-root.js';
import { UnusableInput } from '../../src/support/problem.js';
import { readYaml } from '../../src/support/yaml-file.js';
import { drawTerminal, terminalPicture } from '../pictures/terminal-picture.js';
import { renderKillMatrixFiles } from '../proof/kill-matrix.js';
import { writeProofPage } from '../proof-page/write-page.js';
import { commandsPage, renderCommandsPage } from './commands-page.js';
import { documentsWithExamples, fillExamples } from './failure-examples.js';
import { keysPage, renderKeysPage } from './keys-page.js';
import { referenceOutcomesFile, renderReferenceOutcomes } from './reference-outcomes.js';
import { createDerivedDefinitions, formatSchemas, writeDefinitions } from './schemas.js';
import { renderSpecs } from './specs.js';

/** Writes everything that is derived from the cases, the contract, the assertion kinds and the faults. */
async function update(): Promise<void> {
  // The schemas come first: they decide what a case file may contain.
  await report('schemas, outcomes of the reference deployment', () => {
    const contract = parseContract(readYaml(path.join(packageCasesFolder, 'contract.yaml')));
    for (const [schema, definitions] of createDerivedDefinitions(contract)) writeDefinitions(schema, definitions);
    formatSchemas();
    write(referenceOutcomesFile, renderReferenceOutcomes(contract));
  });
  const suite = readSuiteFiles(packageCasesFolder, {});
  await report('specs', () => {
    for (const [file, text] of renderSpecs(suite)) write(file, text);
  });
  await report('kill matrix, rows for --quick', async () => {
    for (const [file, text] of await renderKillMatrixFiles()) writeFileSync(file, text);
  });
  await report('docs/commands.md, docs/keys.md', async () => {
    write(commandsPage, await renderCommandsPage());
    write(keysPage, renderKeysPage());
  });
  await report(documentsWithExamples.join(', '), async () => {
    for (const file of documentsWithExamples)
      write(file, await fillExamples(readFileSync(path.join(packageRoot, file), 'utf8')));
  });
  await report(terminalPicture, async () => write(terminalPicture, await drawTerminal()));
  await report('docs/proof.md, the figures of README.md', writeProofPage);
  print('Review the diff: `git diff`.');
}

function write(file: string, text: string): void {
  writeFileSync(path.join(packageRoot, file), text);
}

async function report(what: string, write: () => unknown): Promise<void> {
  const start = Date.now();
  await write();
  print(`${what} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

try {
  await update();
} catch (error) {
  if (!(error instanceof UnusableInput)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
