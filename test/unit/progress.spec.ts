import { expect, test } from '@playwright/test';
import { type Progress, ProgressDisplay, renderProgress } from '../../src/outputs/terminal/progress.js';

// A terminal without control characters would get lines.
process.env.TERM = 'xterm';

const progress: Progress = { sent: 120, planned: 230, retried: 0, waitsFor: undefined };

test('The progress of a run has its requests, retries and what it waits for', () => {
  expect(renderProgress(progress)).toBe('120 of 230 requests');
  expect(renderProgress({ ...progress, retried: 3, waitsFor: 'integer-quantity' })).toBe(
    '120 of 230 requests, 3 retried, waiting for integer-quantity',
  );
  // What fails is sent again.
  expect(renderProgress({ ...progress, sent: 231 })).toBe('231 requests');
});

/** Writes lines until there are some. */
async function showLines(stream: { readonly isTTY?: boolean; readonly columns?: number }): Promise<string> {
  const written: string[] = [];
  return await new Promise((resolve) => {
    const write = (text: string): boolean => {
      written.push(text);
      if (written.length === 3) setImmediate(end);
      return true;
    };
    const display = new ProgressDisplay({ ...stream, write }, () => progress, { first: 1, next: 1, plain: 1 });
    const keepAlive = setInterval(() => undefined, 1_000);
    const end = () => {
      display.stop();
      clearInterval(keepAlive);
      resolve(written.join(''));
    };
    display.start();
  });
}

test('A terminal shows the progress on one line, which is cleared at the end', async () => {
  const shown = '\r\u001b[K120 of 230 ';
  expect(await showLines({ isTTY: true, columns: 12 })).toBe(`${shown.repeat(3).trimEnd()} \r\u001b[K`);
});

test('Elsewhere the progress has lines without control characters', async () => {
  expect(await showLines({})).toBe('120 of 230 requests\n'.repeat(3));
});
