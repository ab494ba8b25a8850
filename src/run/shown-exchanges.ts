import type { Exchange } from '../http/exchange.js';
import type { StoredExchange } from './case-report.js';
import { cutBodies, maxResultBody, shortenExchange } from './sanitize-result.js';

/** Finds an exchange by its id and makes it fit for display. Undefined for an id that no exchange has. */
export type ShowExchange = (id: string | undefined) => Exchange | undefined;

/** The exchanges of a run with the beginnings of their bodies: the whole ones may not fit into memory. */
export function createShownExchanges() {
  // Not fit for display yet: to escape an exchange takes time, and few are shown.
  const kept = new Map<string, Exchange>();
  const show: ShowExchange = (id = '') => {
    const exchange = kept.get(id);
    return exchange && shortenExchange(exchange, maxResultBody);
  };
  return {
    /** @returns the exchange with the beginning of its body */
    add({ id, exchange }: StoredExchange): Exchange {
      // A long body is cut once, here.
      const cut = cutBodies(exchange, maxResultBody);
      kept.set(id, cut);
      return cut;
    },
    has: (id: string) => kept.has(id),
    /** Finds an exchange as it was received, but for the end of a long body. */
    find: (id: string) => kept.get(id),
    show,
  };
}
