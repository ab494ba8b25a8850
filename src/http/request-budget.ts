import { appendFileSync, statSync } from 'node:fs';

/** What a run has spent of its budget. */
export interface Account {
  /** When it was opened, in milliseconds since the epoch. */
  readonly openedAt: number;
  /** How many requests were booked. */
  spent(): number;
  /** Books one request. */
  book(): void;
}

export function accountInMemory(): Account {
  let requests = 0;
  return {
    openedAt: Date.now(),
    spent: () => requests,
    book: () => {
      requests += 1;
    },
  };
}

/**
 * An account that several processes share: a run has a new one after every failing test.
 *
 * @param file exists, and grows by one byte with each request, which processes can do side by side
 */
export function accountInFile(file: string, openedAt: number): Account {
  return { openedAt, spent: () => statSync(file).size, book: () => appendFileSync(file, '.') };
}
