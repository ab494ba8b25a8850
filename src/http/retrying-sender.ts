import type { RetryOptions } from './connection-options.js';
import type { Exchange, HttpRequest, RetriedAttempt } from './exchange.js';
import type { PacedQueue } from './paced-queue.js';
import { computeRetryDelay, isRetryable, isTimeout, isTransientFailure, wasSent } from './response-status.js';
import { createSilenceWatch, createUnsentExchange } from './silence-watch.js';

/** After this many failures in a row, nothing is retried: retries would triple the time of a run on a dead deployment. */
const failuresWithoutRetry = 3;

/** What a sender needs of its client. */
interface SenderParts {
  readonly queue: PacedQueue;
  readonly retry: RetryOptions;
  /** Makes one attempt. Rejects only if nothing must be sent at all. */
  readonly exchange: (request: HttpRequest) => Promise<Exchange>;
  /** Turns the error of an attempt that was refused or aborted into its exchange. */
  readonly createFailure: (request: HttpRequest, error: unknown) => Exchange;
}

/** What the attempts to send one request have in common. */
interface Progress {
  /** The attempts that had their turn. The end of a run may abort the last of them before it has an exchange. */
  begun: number;
  /** The numbers, among all attempts of the run, of those that the deployment got. */
  readonly numbers: number[];
  readonly retried: RetriedAttempt[];
}

/** How an attempt ended. */
interface Attempt {
  readonly exchange: Exchange;
  /** How long to wait before the next attempt, in milliseconds. Without it, this attempt was the last one. */
  readonly retryAfterMs?: number;
}

/** Sends requests when the queue lets them, and again after failures that may pass. Notices a deployment that stops answering. */
export class RetryingSender {
  private readonly watch = createSilenceWatch((request, countAttempt) => this.checkAnswers(request, countAttempt));
  private failuresInARow = 0;
  private isClosed = false;

  constructor(private readonly parts: SenderParts) {}

  /** Sends one request, with its retries. Never rejects: an error is part of the exchange. */
  async send(request: HttpRequest): Promise<Exchange> {
    const progress: Progress = { begun: 0, numbers: [], retried: [] };
    let sent: Exchange | undefined;
    for (let retries = 0; ; retries += 1) {
      const { exchange, retryAfterMs } = await this.awaitTurn(request, retries, progress);
      if (!wasSent(exchange)) return this.describeUnsent(sent ?? exchange, progress);
      sent = exchange;
      if (retryAfterMs === undefined) {
        this.failuresInARow = isTransientFailure(exchange) ? this.failuresInARow + 1 : 0;
        return addProgress(exchange, progress, progress.numbers.length);
      }
      progress.retried.push(describeAttempt(exchange, this.parts.queue.findSlowedPace()));
      if (retryAfterMs > 0) await this.parts.queue.wait(retryAfterMs);
    }
  }

  /** From now on, an attempt without an exchange was aborted by the end of the run. */
  close(): void {
    this.isClosed = true;
  }

  /** Makes an attempt when its turn comes. A retry goes before requests that were never sent. */
  private async awaitTurn(request: HttpRequest, retries: number, progress: Progress): Promise<Attempt> {
    const { queue, createFailure } = this.parts;
    return await queue
      .run(() => this.attempt(request, retries, progress), retries)
      .catch((error) => ({ exchange: createFailure(request, error) }));
  }

  /** Runs within the queue: what it pauses, it pauses before the next request starts. */
  private async attempt(request: HttpRequest, retries: number, progress: Progress): Promise<Attempt> {
    const number = await this.watch.begin();
    if (number === undefined) return { exchange: createUnsentExchange(request, this.watch.findSilence()) };
    progress.begun += 1;
    const exchange = await this.parts.exchange(request);
    if (wasSent(exchange)) progress.numbers.push(number, ...(await this.watch.end(number, exchange)));
    const statedSeconds = this.parts.retry.delays_seconds[retries];
    if (statedSeconds === undefined || this.failuresInARow >= failuresWithoutRetry || !isRetryable(exchange))
      return { exchange };
    const { ms, forAll } = computeRetryDelay(exchange, statedSeconds, this.parts.retry, Date.now());
    if (!forAll) return { exchange, retryAfterMs: ms };
    // The pause of the queue delays the retry as it does all other requests.
    this.parts.queue.pause(ms);
    return { exchange, retryAfterMs: 0 };
  }

  /** The deployment got a request that the end of the run aborted, unless the request still waited for its turn. */
  private describeUnsent(exchange: Exchange, progress: Progress): Exchange {
    return addProgress(exchange, progress, this.isClosed ? progress.begun : progress.numbers.length);
  }

  /** Sends a request again that was answered before, until it is answered or its retries are used up. */
  private async checkAnswers(request: HttpRequest, countAttempt: () => number): Promise<Exchange> {
    const { queue, retry } = this.parts;
    // A connection that the deployment dropped would say nothing about the deployment.
    const again: HttpRequest = { ...request, sent: 'on-a-fresh-connection' };
    countAttempt();
    let exchange = await this.parts.exchange(again);
    for (const seconds of retry.delays_seconds) {
      if (!mayRecover(exchange)) break;
      await queue.wait(computeRetryDelay(exchange, seconds, retry, Date.now()).ms);
      countAttempt();
      exchange = await this.parts.exchange(again);
    }
    return exchange;
  }
}

/** Whether another attempt is worth its time. A timeout has waited for long enough. */
function mayRecover(exchange: Exchange): boolean {
  return isTransientFailure(exchange) && !isTimeout(exchange);
}

function addProgress(exchange: Exchange, { numbers, retried }: Progress, attempts: number): Exchange {
  return { ...exchange, attempts, numbers, ...(retried.length > 0 && { retried }) };
}

function describeAttempt(exchange: Exchange, slowedPace: number | undefined): RetriedAttempt {
  const outcome = 'response' in exchange ? exchange.response.status : exchange.transportError;
  return { outcome, ...(slowedPace !== undefined && { slowed_to: slowedPace }) };
}
