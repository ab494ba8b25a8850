import { expect, test } from '@playwright/test';
import { certifyThrough, isInstalled } from '../../tools/proxies/certify-through.js';
import { software } from '../../tools/proxies/software.js';

for (const program of software)
  for (const [name, variant] of Object.entries(program.variants))
    test(`A conforming deployment behind ${program.name}, ${name} @long`, async () => {
      test.skip(!isInstalled(program, variant), `Install ${program.packages}.`);
      const { verdict, cause, output } = await certifyThrough(program, variant);
      expect(verdict, output).toBe(variant.verdict);
      expect(cause).toMatch(variant.cause);
    });
