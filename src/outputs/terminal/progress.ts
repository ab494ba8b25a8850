import type { WriteStream } from 'node:tty';
import { renderCount } from '../counts.js';

/** What a run has done so far. */
export interface Progress {
  /** The requests of which the results are known, with retries. */
  readonly sent: number;
  /** The requests of the plan. What fails is sent again, so that there may be more in the end. */
  readonly planned: number;
  readonly retried: number;
  /** The id of the case whose responses the run waits for. */
  readonly waitsFor: string | undefined;
}

/** The part of standard error that the display needs. */
export type ProgressStream = Pick<WriteStream, 'write'> & { readonly isTTY?: boolean; readonly columns?: number };

/** Milliseconds until the first line on a terminal, and between two. Elsewhere, each line stays. */
const [firstMs, refreshMs, plainMs] = [1_000, 250, 30_000];
/** Moves to the beginning of the line, and clears it (ECMA-48, EL). */
const clearLine = '\r\u001b[K';

/** Shows on standard error that a run goes on: as one line that changes on a terminal, elsewhere as a line now and then. */
export class ProgressDisplay {
  private timer: NodeJS.Timeout | undefined;
  private isShown = false;

  /** @param read is called when a line is due; undefined shows nothing */
  constructor(
    private readonly stream: ProgressStream,
    private readonly read: () => Progress | undefined,
  ) {}

  start(): void {
    this.schedule(this.isTerminal() ? firstMs : plainMs);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.clear();
  }

  /** Clears the line, before something else is written. */
  clear(): void {
    if (this.isShown) this.stream.write(clearLine);
    this.isShown = false;
  }

  private schedule(ms: number): void {
    // The process may end while a line is due.
    this.timer = setTimeout(() => this.show(), ms).unref();
  }

  private show(): void {
    const progress = this.read();
    const isTerminal = this.isTerminal();
    if (progress !== undefined) {
      const line = renderProgress(progress);
      // A line that wraps could not be cleared.
      if (isTerminal) this.stream.write(clearLine + line.slice(0, (this.stream.columns || 80) - 1));
      else this.stream.write(`${line}\n`);
      this.isShown = isTerminal;
    }
    this.schedule(isTerminal ? refreshMs : plainMs);
  }

  private isTerminal(): boolean {
    return this.stream.isTTY === true && process.env.TERM !== 'dumb';
  }
}

export function renderProgress({ sent, planned, retried, waitsFor }: Progress): string {
  const requests = sent <= planned ? `${sent} of ${planned} requests` : `${renderCount(sent, 'request')}`;
  const facts = [requests, retried > 0 && `${retried} retried`, waitsFor && `waiting for ${waitsFor}`];
  return facts.filter(Boolean).join(', ');
}
