/**
 * Draws the pictures of the documents: the terminal of a failing run (`docs/terminal.svg`), and the page of the same run in
 * Chromium (`docs/certificate.png`). The page comes from a real run, over a socket.
 */

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from '@playwright/test';
import { referenceCredentials } from '../../reference/deployment/reference-credentials.js';
import { serveReference } from '../../reference/deployment/server.js';
import { findFault } from '../../reference/faults/index.js';
import { loadSuite } from '../../src/suite/suite.js';
import { packageRoot } from '../../src/support/package-root.js';
import { findBrowser } from '../../test/support/browser.js';
import { credentialVariables, runConformance } from '../../test/support/cli.js';
import { drawTerminal, shownFault, terminalPicture } from './terminal-picture.js';

const pagePicture = 'docs/certificate.png';
/** In pixels. The README shows the picture a third smaller. */
const viewport = { width: 1200, height: 860 };

const executablePath = findBrowser();
if (executablePath === undefined) throw new Error('The pictures need Chromium on the PATH: apt-get install chromium.');
writeFileSync(path.join(packageRoot, terminalPicture), await drawTerminal());

const folder = mkdtempSync(path.join(os.tmpdir(), 'pictures-'));
const server = await serveReference({
  world: loadSuite().world,
  credentials: referenceCredentials,
  faults: [findFault(shownFault)],
});
try {
  writeFileSync(path.join(folder, 'shop.yaml'), `name: shop\nbase_url: ${server.url}\n`);
  const args = ['certify', '--target', 'shop.yaml', '--out', 'results'];
  const { output } = await runConformance(args, { cwd: folder, env: credentialVariables });
  const certificate = path.join(folder, 'results', 'certificate.html');
  if (!existsSync(certificate)) throw new Error(output);
  const browser = await chromium.launch({ executablePath });
  try {
    const page = await browser.newPage({ viewport });
    await page.goto(pathToFileURL(certificate).href);
    await page.screenshot({ path: path.join(packageRoot, pagePicture) });
  } finally {
    await browser.close();
  }
} finally {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}
