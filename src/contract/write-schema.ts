import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../support/package-root.js';
import { loadContract } from './contract.js';
import { createContractIdsSchema } from './contract-ids-schema.js';

const file = path.join(packageRoot, 'schemas', 'ledger-ids.schema.json');
writeFileSync(file, `${JSON.stringify(createContractIdsSchema(loadContract()), null, 2)}\n`);
