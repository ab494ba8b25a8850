import { symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HttpRequest } from '../../src/http/exchange.js';
import { packageRoot } from '../../src/support/package-root.js';

/** What the bare program sends: the requests of a run, divided between tests. */
export interface Work {
  readonly requests: readonly HttpRequest[];
  readonly tests: number;
}

/** Headers of the connection, which the client adds itself. */
const hops = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'expect']);

/** Tests that send requests with the client of the suite, and check only that responses arrive. */
const renderTests = (url: string, requestsByTest: unknown) => `import { test } from '@playwright/test';
import { Pool } from 'undici';
const pool = new Pool(${JSON.stringify(url)});
for (const [n, requests] of ${JSON.stringify(requestsByTest)}.entries()) test('case ' + n, async () => {
  for (const [method, path, headers, body] of requests) {
    const response = await pool.request({ method, path, headers, body, reset: false });
    await response.body.text();
  }
});
`;

/** Writes tests that send the requests of a run and judge nothing. @returns the arguments of `node` for Playwright */
export function writeBareProgram(folder: string, url: string, { requests, tests }: Work): string[] {
  const wire = requests.map(({ method, path, headers, body }) => [
    method,
    path,
    headers.filter(([name]) => !hops.has(name.toLowerCase())).flat(),
    body,
  ]);
  const requestsByTest = Array.from({ length: tests }, (_, n) =>
    wire.slice(Math.floor((n * wire.length) / tests), Math.floor(((n + 1) * wire.length) / tests)),
  );
  return writePlaywrightTest(folder, renderTests(url, requestsByTest));
}

/** Returns the arguments of `node` for Playwright with one empty test. */
export function writeEmptyTest(folder: string): string[] {
  return writePlaywrightTest(folder, "import { test } from '@playwright/test';\ntest('', () => {});\n");
}

/** @param folder an empty folder */
function writePlaywrightTest(folder: string, text: string): string[] {
  const config = path.join(folder, 'playwright.config.js');
  symlinkSync(path.join(packageRoot, 'node_modules'), path.join(folder, 'node_modules'));
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(path.join(folder, 'bare.spec.js'), text);
  writeFileSync(config, "export default { testMatch: 'bare.spec.js', workers: 1 };\n");
  return [fileURLToPath(import.meta.resolve('@playwright/test/cli')), 'test', '--config', config];
}
