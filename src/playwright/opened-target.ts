import { evidenceKeeper } from '../engine/evidence.js';
import { replayOf } from '../engine/replay.js';
import type { RunOptions } from '../engine/run.js';
import type { Endpoint } from '../http/connection-options.js';
import type { Channel } from '../http/exchange.js';
import type { RequestBudget } from '../http/request-budget.js';
import { endpointOf } from '../targets/connection.js';
import { openTarget } from '../targets/open.js';
import { readRecordedRun } from '../targets/recorded-run.js';
import { loadTarget } from '../targets/target.js';
import type { RunInputs } from './run-state.js';

/** What the cases of a run are put to: a target, or what is recorded of one. */
export interface OpenedTarget {
  readonly channel: Channel;
  readonly baseUrl: string;
  /** For the engine: where exchanges come from, and who takes note of them. */
  readonly options: Pick<RunOptions, 'keeper' | 'replay'>;
  close(): Promise<void>;
}

/**
 * Opens the target of a run.
 *
 * @param reference the reference deployment, as whoever started it knows it
 * @param requestBudget counts what is sent; a new one unless it is shared with others
 */
export function openedTarget(
  { settings, replay }: RunInputs,
  reference: Endpoint,
  requestBudget?: RequestBudget,
): OpenedTarget {
  if (replay !== undefined) {
    const { evidence, origin } = readRecordedRun(replay);
    const recorded = replayOf(evidence);
    // What is shown of it was redacted when it was recorded.
    const channel = recorded.channel('');
    const options = { replay: recorded, keeper: evidenceKeeper(channel.redact) };
    return { channel, baseUrl: origin.baseUrl, options, close: async () => undefined };
  }
  const { place, options } = loadTarget(process.env).connection;
  const endpoint = endpointOf(place, reference);
  const client = openTarget(settings.target, endpoint, options, requestBudget);
  const keeper = evidenceKeeper((text) => client.redact(text));
  return { channel: client, baseUrl: endpoint.baseUrl, options: { keeper }, close: () => client.close() };
}
