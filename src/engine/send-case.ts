import type { Row, TestCase } from '../cases/case.js';
import type { Channel, Exchange, HttpRequest } from '../http/exchange.js';
import type { SentRows } from '../judge/judge-case.js';

/** The requests that a case sends: each once, rows for which the target has not all that they need aside. */
export function requestsOf({ rows }: TestCase): HttpRequest[] {
  const applicable = rows.filter(({ unavailable }) => unavailable.length === 0);
  const named = applicable.flatMap(({ requests }) => [...requests]);
  return [...new Map(named.map(([name, request]) => [keyOf(name, request), request])).values()];
}

/** Requests of the same name that are equal are one. */
function keyOf(name: string, request: HttpRequest): string {
  return JSON.stringify([name, request]);
}

/** What was sent for a case and what came back, by row and then by name. */
export interface CaseExchanges {
  readonly exchanges: SentRows;
  readonly requestsSent: number;
}

/**
 * Sends the requests of a case: a row's one after another, rows side by side. A request that several rows have in
 * common is sent once. Rows for which the target has not all that they need are not sent, nor is
 * anything once the bodies have more characters than the channel allows.
 */
export async function sendCase({ rows }: TestCase, channel: Channel): Promise<CaseExchanges> {
  const sender = senderOf(channel);
  const exchanges = await Promise.all(rows.map((row) => sender.send(row)));
  return { exchanges, requestsSent: await sender.requestsSent() };
}

/** As {@link sendCase}, but one request after another, each on a connection of its own. */
export async function sendCaseSlowly({ rows }: TestCase, channel: Channel): Promise<CaseExchanges> {
  const sender = senderOf({
    ...channel,
    send: (request, whyWithheld) => {
      channel.renew();
      return channel.send(request, whyWithheld);
    },
  });
  const exchanges: SentRow[] = [];
  for (const row of rows) exchanges.push(await sender.send(row));
  return { exchanges, requestsSent: await sender.requestsSent() };
}

type SentRow = SentRows[number];

/** Sends the rows of one case. */
interface Sender {
  send(row: Row): Promise<SentRow>;
  /** Of all that was begun. */
  requestsSent(): Promise<number>;
}

function senderOf({ send, maxOfCase }: Channel): Sender {
  const sent = new Map<string, Promise<Exchange>>();
  let characters = 0;
  const whyWithheld = (): string | undefined =>
    characters > maxOfCase
      ? `The bodies of this case have more than ${maxOfCase} characters together, so the rest was not sent. A larger limits.body_bytes of the target file allows more.`
      : undefined;
  const sendOne = async (request: HttpRequest): Promise<Exchange> => {
    const exchange = await send(request, whyWithheld);
    if ('response' in exchange) characters += exchange.response.body.length;
    return exchange;
  };
  const sendOnce = (name: string, request: HttpRequest): Promise<Exchange> => {
    const key = keyOf(name, request);
    const exchange = sent.get(key) ?? sendOne(request);
    sent.set(key, exchange);
    return exchange;
  };
  return {
    async send({ requests, unavailable }) {
      const came = new Map<string, Exchange>();
      if (unavailable.length > 0) return came;
      for (const [name, request] of requests) came.set(name, await sendOnce(name, request));
      return came;
    },
    requestsSent: async () => attemptsOf(await Promise.all(sent.values())),
  };
}

/** How many requests went out for some exchanges, repeats included. */
export function attemptsOf(exchanges: readonly Exchange[]): number {
  return exchanges.reduce((sum, { attempts = 1 }) => sum + attempts, 0);
}
