import { Agent, request as sendRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { referenceCredentials } from '../../reference/deployment/reference-credentials.js';
import { type ServerOptions, serveReference } from '../../reference/deployment/server.js';
import { storyWorld } from './story-world.js';

/** A request, by what differs from that of ann with one mug. */
export interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** The members of the body; one that is undefined is left out. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** The items of the order, in place of one mug. */
  readonly items?: unknown;
  readonly customer?: string;
  readonly metadata?: unknown;
  readonly orderMetadata?: unknown;
  readonly expand?: unknown;
  /** The body as a text; absent if it is empty. */
  readonly raw?: string;
}

/** A response, and the ids of the promotions in it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly returned: readonly string[];
}

export interface Asking {
  readonly ask: (asked: Asked) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

export function createBody({
  body,
  items,
  customer = 'ann',
  metadata = {},
  orderMetadata = {},
  expand,
}: Asked): string {
  return JSON.stringify({
    customer: { id: customer },
    order: { items: items ?? [{ product_id: 'mug', quantity: 1 }], metadata: orderMetadata },
    metadata,
    options: expand === undefined ? {} : { expand },
    ...body,
  });
}

/** Starts the reference deployment with a small world behind a socket. */
export async function startAsking(options: Pick<ServerOptions, 'faults' | 'behaviours'> = {}): Promise<Asking> {
  const served = await serveReference({ world: storyWorld, credentials: referenceCredentials, ...options });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (asked: Asked): Promise<Answer> => {
    const { method = 'GET', path = '/v1/promotions/validation', query = '' } = asked;
    const body = asked.raw ?? createBody(asked);
    const headers = {
      'X-Client-Application-Id': referenceCredentials.applicationId,
      'X-Client-Token': referenceCredentials.token,
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      ...asked.headers,
    };
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
    const url = `${served.url}${path}${query === '' ? '' : `?${query}`}`;
    const received = await new Promise<Omit<Answer, 'returned'>>((resolve, reject) => {
      sendRequest(url, { method, headers: sent, agent }, (response) => {
        const { statusCode: status = 0, headers } = response;
        text(response).then((body) => resolve({ status, headers, body }), reject);
      })
        .on('error', reject)
        .end(body);
    });
    return { ...received, returned: listReturned(received.body) };
  };
  return {
    ask,
    close: async () => {
      agent.destroy();
      await served.close();
    },
  };
}

function listReturned(body: string): string[] {
  const { promotions = [] }: { promotions?: { id: string }[] } = body === '' ? {} : JSON.parse(body);
  return promotions.map(({ id }) => id);
}

const names = { campaign: 'promotion_id', level: 'metadata.level' };

/** A filter as a query string. @param name a field of a filter, or a short name of one */
export function createFilterQuery(name: string, value: string): string {
  const field = Object.hasOwn(names, name) ? names[name as keyof typeof names] : name;
  return `${encodeURIComponent(`[filters][${field}][conditions][$is]`)}=${encodeURIComponent(value)}`;
}
