import type { WriteStream } from 'node:tty';
import { renderCount } from '../counts.js';

/** What a run has done so far. */
export interface Progress {
  /** The requests that are answered, with retries. */
  readonly sent: number;
  /** The requests of the plan. What fails is sent again, so that there may be more in the end. */
  readonly planned: number;
  readonly retried: number;
  /** The id of the case whose responses the run waits for. */
  readonly waitsFor: string | undefined;
}

/** The part of standard error that the display needs. */
export type ProgressStream = Pick<WriteStream, 'write'> & { readonly isTTY?: boolean; readonly columns?: number };

/** In milliseconds: until the first line on a terminal, and between two. Elsewhere each line stays, so there are fewer. */
const usualDelays = { first: 1_000, next: 250, plain: 30_000 };
/** Moves to the beginning of the line, and clears it (ECMA-48, EL). */
const clearLine = '\r\u001b[K';

/** Shows on standard error that a run goes on: as one line that changes on a terminal, elsewhere as a line now and then. */
export class ProgressDisplay {
  private timer: NodeJS.Timeout | undefined;
  private isShown = false;

  constructor(
    private readonly stream: ProgressStream,
    private readonly read: () => Progress,
    private readonly delays = usualDelays,
  ) {}

  start(): void {
    this.schedule(this.isTerminal() ? this.delays.first : this.delays.plain);
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
    const isTerminal = this.isTerminal();
    const line = renderProgress(this.read());
    // A line that wraps could not be cleared.
    if (isTerminal) this.stream.write(clearLine + line.slice(0, (this.stream.columns || 80) - 1));
    else this.stream.write(`${line}\n`);
    this.isShown = isTerminal;
    this.schedule(isTerminal ? this.delays.next : this.delays.plain);
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
