import type { Channel, Exchange, HttpRequest } from '../http/exchange.js';
import type { RowExchanges } from '../judge/judge-case.js';

/** Requests that were sent together, or shortly one after another. */
export interface Batch {
  /** By a name that is unique in the run. */
  readonly requests: ReadonlyMap<string, HttpRequest>;
  /** What came back each time that the batch was sent again. */
  readonly turns: RowExchanges[number][];
}

/** The number of requests in a batch before the wrong one, and from it on. */
const halfBatch = 8;

/**
 * Sends requests and remembers their order, so that a request can be sent again together with those around it. Requests
 * that are close to each other share a batch.
 */
export function createBatches({ send }: Pick<Channel, 'send'>) {
  const sent: (readonly [name: string, request: HttpRequest])[] = [];
  const names = new WeakMap<Exchange, string>();
  const batches: Batch[] = [];
  return {
    async send(...[request, whyWithheld]: Parameters<Channel['send']>): Promise<Exchange> {
      const name = String(sent.length);
      sent.push([name, request]);
      const exchange = await send(request, whyWithheld);
      names.set(exchange, name);
      return exchange;
    },
    /** Finds the batch of a request, and its name there. @param first the exchange of the request, when it was sent */
    find(first: Exchange): { readonly batch: Batch; readonly name: string } | undefined {
      const name = names.get(first);
      if (name === undefined) return undefined;
      const place = Number(name);
      const isAround = ({ requests }: Batch) => {
        const before = [...requests.keys()].indexOf(name);
        return before >= Math.min(halfBatch, place);
      };
      let batch = batches.find(isAround);
      if (batch === undefined) {
        const requests = new Map(sent.slice(Math.max(0, place - halfBatch), place + halfBatch));
        batch = { requests, turns: [] };
        batches.push(batch);
      }
      return { batch, name };
    },
  };
}
