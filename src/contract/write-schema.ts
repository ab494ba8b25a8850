import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../support/package-root.js';
import { ledgerIdsSchema } from './ids-schema.js';
import { loadLedger } from './ledger.js';

const file = path.join(packageRoot, 'schemas', 'ledger-ids.schema.json');
writeFileSync(file, `${JSON.stringify(ledgerIdsSchema(loadLedger()), null, 2)}\n`);
