import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page, test } from '@playwright/test';

/** The names under which systems have Chromium. */
const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** Where systems have it that name no programs by the PATH. */
const places = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  path.join(process.env.PROGRAMFILES ?? '', 'Google', 'Chrome', 'Application', 'chrome.exe'),
];

/** The system's own browser, since this package downloads none. */
export function findBrowser(): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const named = folders.flatMap((folder) => names.map((name) => path.join(folder, name)));
  return [...named, ...places].find((file) => existsSync(file));
}

/** Starts the browser; without one the test is skipped, and says so, though not where everything has to be tested. */
export function openBrowser(): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath !== undefined) return chromium.launch({ executablePath });
  if (process.env.CI) throw new Error('CI is set, and there is no Chromium: apt-get install chromium.');
  const reason = `Pages are not tried: the PATH has none of ${names.join(', ')}.`;
  process.stderr.write(`${reason}\n`);
  test.skip(true, reason);
  throw new Error(reason);
}

/** Opens pages in one browser for all tests of a file. */
export function usePages(): (options?: BrowserContextOptions) => Promise<Page> {
  let browser: Browser | undefined;
  test.beforeAll(async () => {
    browser = await openBrowser();
  });
  test.afterAll(() => browser?.close());
  return (options) => (browser as Browser).newPage(options);
}
