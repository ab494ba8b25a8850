import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { createNamedExport } from '../../src/contract/world-formats.js';
import { loadValidator } from '../../src/support/schema-validation.js';
import { loadCertificate, makeTestFolder, runConformance, runConformanceInProcess } from '../support/cli.js';
import { suite } from '../support/in-process.js';

const cwd = makeTestFolder();

test('Without settings, the reference deployment conforms and every question is answered', async () => {
  const { status, output } = await runConformance(['certify', '--out', 'reference'], { cwd });
  expect(output).toContain('CONFORMS');
  expect(status).toBe(0);
  // Nobody may take it for their own.
  const lines = output.trim().split('\n');
  for (const line of [lines[0], lines.at(-1)]) expect(line).toContain('the reference deployment, which comes');
  for (const name of ['certificate.json', 'certificate.html', 'summary.md'])
    expect(readFileSync(path.join(cwd, 'reference', name), 'utf8')).toContain('the reference deployment, which comes');
  const certificate = loadCertificate(cwd, 'reference');
  expect(loadValidator('certificate')(certificate), JSON.stringify(loadValidator('certificate').errors)).toBe(true);
  expect(certificate.verdict).toBe('conforms');
  expect(certificate.summary).toEqual({ pass: 17 });
  expect(certificate.requests_sent).toBeGreaterThan(200);
});

test('`world` prints JSON that fits its schema', async () => {
  const { status, output } = await runConformanceInProcess(['world'], { cwd });
  expect(status).toBe(0);
  expect(loadValidator('expanded-world')(JSON.parse(output))).toBe(true);
  expect(JSON.parse(output)).toEqual(JSON.parse(JSON.stringify(createNamedExport(suite.world))));
  // A name tells a person what an id stands for.
  for (const { name } of Object.values<{ name?: string }[]>(JSON.parse(output)).flat()) expect(name).toBeDefined();
  expect(JSON.parse(output).customers[1]).toEqual({ id: suite.world.ids.customer.get('ann'), name: 'ann' });
  expect(JSON.parse(output).skus[0]).toMatchObject({ name: 'shirt-blue' });
});
