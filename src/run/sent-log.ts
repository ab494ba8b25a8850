import type { Exchange, RequestChannel } from '../http/exchange.js';
import { type ExchangeSummary, summarizeExchange } from '../judge/find-deployment-stop.js';
import type { ExchangeUse, StoredEvidence } from './case-report.js';
import { repetitionCaseId } from './case-result.js';
import { formatExchangePurpose, narrowingPurpose } from './evidence-keeper.js';

/** The id of the requests that are sent at the end of a run to find out whether a refusal lasts. */
export const recheckCaseId = 'check';

/** What was sent in a run, in short: bodies may be large. */
export interface SentLog {
  readonly listTraces: () => readonly ExchangeSummary[];
  /** Notes that exchanges were sent to find out whether a refusal lasts. */
  readonly markChecks: (exchanges: Iterable<Exchange>) => void;
}

/** Notes what goes through a channel. Exchanges without numbers get those of their order. */
export function createLoggedChannel(channel: RequestChannel): {
  readonly channel: RequestChannel;
  readonly log: SentLog;
} {
  const traces = new Map<number, ExchangeSummary>();
  let count = 0;
  const keep = (exchange: Exchange, isCheck: boolean): void => {
    const trace = summarizeExchange('', exchange, isCheck);
    if (trace !== undefined) traces.set(trace.numbers[0] as number, trace);
  };
  return {
    channel: {
      ...channel,
      async send(request) {
        count += 1;
        const number = count;
        const exchange = await channel.send(request);
        // An exchange of the evidence has its numbers, and is found there by its identity.
        const numbered =
          exchange.numbers === undefined ? { ...exchange, numbers: exchange.attempts === 0 ? [] : [number] } : exchange;
        keep(numbered, false);
        return numbered;
      },
    },
    log: {
      listTraces: () => [...traces.values()],
      markChecks: (exchanges) => {
        for (const exchange of exchanges) keep(exchange, true);
      },
    },
  };
}

/** Lists what was sent in a run by its evidence. */
export function summarizeEvidenceExchanges({ exchanges, uses }: StoredEvidence): ExchangeSummary[] {
  const traces = exchanges.flatMap(({ id, exchange }) => summarizeExchange(id, exchange) ?? []);
  return markRechecks(traces, uses);
}

/**
 * Marks what was sent to find out whether a refusal lasts. Leaves out what was sent after it, to find out what makes a difference:
 * those requests are refused on purpose.
 */
export function markRechecks(traces: readonly ExchangeSummary[], uses: readonly ExchangeUse[]): ExchangeSummary[] {
  const purpose = formatExchangePurpose({ id: recheckCaseId }, repetitionCaseId);
  const checks = new Set(uses.filter((use) => use.case === purpose).map(({ id }) => id));
  const narrowed = new Set(uses.filter((use) => use.case === narrowingPurpose).map(({ id }) => id));
  return traces
    .filter(({ id }) => !narrowed.has(id))
    .map((trace) => (checks.has(trace.id) ? { ...trace, isCheck: true } : trace));
}
