import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseContract } from '../../src/contract/contract.js';
import { packageCasesFolder, readSuiteFiles } from '../../src/suite/suite.js';
import { packageRoot } from '../../src/support/package-root.js';
import { UnusableInput } from '../../src/support/problem.js';
import { readYaml } from '../../src/support/yaml-file.js';
import { renderKillMatrixFiles } from '../proof/kill-matrix.js';
import { commandsPageFile, renderCommandsPage } from './commands-page.js';
import { referenceOutcomesFile, renderReferenceOutcomes } from './reference-outcomes.js';
import { createAssertionsSchema, createContractIdsSchema } from './schemas.js';
import { renderSpecs } from './specs.js';

/** Writes everything that is derived from the cases, the contract, the assertion kinds and the faults. */
async function update(): Promise<void> {
  // The schemas come first: they decide what a case file may contain.
  await report('schemas, outcomes of the reference deployment', () => {
    writeSchema('assertions', createAssertionsSchema());
    const contract = parseContract(readYaml(path.join(packageCasesFolder, 'contract.yaml')));
    writeSchema('contract-ids', createContractIdsSchema(contract));
    writeFileSync(referenceOutcomesFile, renderReferenceOutcomes(contract));
  });
  const suite = readSuiteFiles(packageCasesFolder, {});
  await report('specs', () => {
    for (const [file, text] of renderSpecs(suite)) writeFileSync(path.join(packageRoot, file), text);
  });
  await report('kill matrix, rows for --quick', async () => {
    for (const [file, text] of await renderKillMatrixFiles()) writeFileSync(file, text);
  });
  const page = path.relative(packageRoot, commandsPageFile);
  await report(page, async () => writeFileSync(commandsPageFile, await renderCommandsPage()));
  print('Review the diff: `git diff`.');
}

function writeSchema(name: string, schema: object): void {
  const file = path.join(packageRoot, 'schemas', `${name}.schema.json`);
  writeFileSync(file, `${JSON.stringify(schema, null, 2)}\n`);
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
