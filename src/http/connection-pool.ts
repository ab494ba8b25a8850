import type { Dispatcher } from 'undici';

/**
 * The connections of a client: those that all requests share, and one of its own for each exchange that must not reuse any.
 * It knows all that may still be busy, so that the end of a run aborts every exchange.
 */
export class ConnectionPool {
  private readonly opened = new Set<Dispatcher>();
  private shared: Dispatcher | undefined;
  private isDestroyed = false;

  /** @param connect creates a dispatcher. It may throw an ExchangeError, as {@link openFresh} and {@link getShared} then do. */
  constructor(private readonly connect: () => Dispatcher) {}

  openFresh(): Dispatcher {
    const dispatcher = this.connect();
    this.opened.add(dispatcher);
    return dispatcher;
  }

  getShared(): Dispatcher {
    this.shared ??= this.openFresh();
    return this.shared;
  }

  /** Closes the shared connections once they are idle. The next request opens others. */
  reconnect(): void {
    if (this.shared !== undefined) this.closeWhenIdle(this.shared);
    this.shared = undefined;
  }

  closeWhenIdle(dispatcher: Dispatcher): void {
    // A dispatcher that was destroyed rejects a second end.
    if (!this.isDestroyed) void dispatcher.close().finally(() => this.opened.delete(dispatcher));
  }

  /** Aborts all exchanges that are under way. */
  async destroy(): Promise<void> {
    this.isDestroyed = true;
    await Promise.all(Array.from(this.opened, (dispatcher) => dispatcher.destroy()));
  }
}
