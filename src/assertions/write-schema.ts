import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../support/package-root.js';
import { createAssertionsSchema } from './assertions-schema.js';

const file = path.join(packageRoot, 'schemas', 'assertions.schema.json');
writeFileSync(file, `${JSON.stringify(createAssertionsSchema(), null, 2)}\n`);
