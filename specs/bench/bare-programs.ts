import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HttpRequest } from '../../src/http/exchange.js';
import { packageRoot } from '../../src/support/package-root.js';

/** What the bare programs send: the requests of a run, divided between tests. */
export interface Work {
  readonly requests: readonly HttpRequest[];
  readonly tests: number;
}

/** Headers of the connection, which the client adds itself. */
const hops = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'expect']);

/** A module that sends a request with the client of the suite, and checks only that a response arrives. */
const sending = (url: string) => `import { Pool } from 'undici';
export const pool = new Pool(${JSON.stringify(url)});
export async function send([method, path, headers, body]) {
  const response = await pool.request({ method, path, headers, body, reset: false });
  await response.body.text();
}
`;

/**
 * Writes programs that send the requests of a run and judge nothing.
 *
 * @param folder an empty folder
 * @returns the arguments of `node` for each: a plain loop, and Playwright with its default configuration
 */
export function writeBarePrograms(folder: string, url: string, { requests, tests }: Work) {
  const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
  mkdirSync(folder, { recursive: true });
  symlinkSync(path.join(packageRoot, 'node_modules'), path.join(folder, 'node_modules'));
  write('package.json', '{ "type": "module" }');
  const wire = requests.map(({ method, path, headers, body }) => [
    method,
    path,
    headers.filter(([name]) => !hops.has(name.toLowerCase())).flat(),
    body,
  ]);
  const perTest = Array.from({ length: tests }, (_, n) =>
    wire.slice(Math.floor((n * wire.length) / tests), Math.floor(((n + 1) * wire.length) / tests)),
  );
  write('requests.js', `export default ${JSON.stringify(perTest)};\n`);
  write('send.js', sending(url));
  const all = "import all from './requests.js';\nimport { pool, send } from './send.js';\n";
  write('loop.js', `${all}for (const each of all.flat()) await send(each);\nawait pool.close();\n`);
  const test = "test('case ' + n, async () => {\n    for (const each of requests) await send(each);\n  })";
  const tested = `for (const [n, requests] of all.entries()) ${test};\n`;
  write('bare.spec.js', `import { test } from '@playwright/test';\n${all}${tested}`);
  return {
    loop: [path.join(folder, 'loop.js')],
    playwright: playwright(folder, 'bare'),
  };
}

/** Returns the arguments of `node` for Playwright with one empty test. @param folder an empty folder */
export function writeEmptyTest(folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  symlinkSync(path.join(packageRoot, 'node_modules'), path.join(folder, 'node_modules'));
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(path.join(folder, 'empty.spec.js'), "import { test } from '@playwright/test';\ntest('', () => {});\n");
  return playwright(folder, 'empty');
}

function playwright(folder: string, name: string): string[] {
  const config = path.join(folder, 'playwright.config.js');
  writeFileSync(config, `export default { testMatch: '${name}.spec.js', workers: 1 };\n`);
  return [fileURLToPath(import.meta.resolve('@playwright/test/cli')), 'test', '--config', config];
}
