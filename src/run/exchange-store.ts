import type { Exchange } from '../http/exchange.js';
import type { DisplayableExchange } from '../record/exchange-text.js';
import type { StoredExchange } from './case-report.js';
import { cutResponseBody, maxResultBody, sanitizeExchange } from './sanitize-result.js';

/** Finds an exchange by its id and makes it fit for display. Undefined for an id that no exchange has. */
export type ExchangeLookup = (id: string | undefined) => DisplayableExchange | undefined;

/** The exchanges of a run with the beginnings of their bodies: the whole ones may not fit into memory. */
export function createExchangeStore() {
  // Not fit for display yet: to escape an exchange takes time, and few are shown.
  const kept = new Map<string, Pick<StoredExchange, 'exchange' | 'mentions'>>();
  const show: ExchangeLookup = (id = '') => {
    const found = kept.get(id);
    return found && { ...sanitizeExchange(found.exchange, maxResultBody), mentions: found.mentions };
  };
  return {
    /** @returns the exchange with the beginning of its body */
    add({ id, exchange, mentions }: StoredExchange): Exchange {
      // A long body is cut once, here.
      const cut = cutResponseBody(exchange, maxResultBody);
      kept.set(id, { exchange: cut, mentions });
      return cut;
    },
    has: (id: string) => kept.has(id),
    /** Finds an exchange as it was received, but for the end of a long body. */
    find: (id: string) => kept.get(id)?.exchange,
    show,
  };
}
