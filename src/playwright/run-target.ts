import { createEvidenceKeeper } from '../engine/evidence-keeper.js';
import { createReplay } from '../engine/replay.js';
import type { EngineOptions } from '../engine/run.js';
import type { Endpoint } from '../http/connection-options.js';
import type { Channel } from '../http/exchange.js';
import type { RequestBudget } from '../http/request-budget.js';
import { openTarget } from '../targets/open-target.js';
import { readRecordedRun } from '../targets/recorded-run.js';
import { loadTarget } from '../targets/target.js';
import { resolveEndpoint } from '../targets/target-connection.js';
import type { RunInputs } from './run-state.js';

/** What the cases of a run are put to: a target, or what is recorded of one. */
export interface RunTarget {
  readonly channel: Channel;
  readonly baseUrl: string;
  /** For the engine: where exchanges come from, and who takes note of them. */
  readonly options: Pick<EngineOptions, 'keeper' | 'replay'>;
  close(): Promise<void>;
}

/**
 * Opens the target of a run.
 *
 * @param reference the reference deployment, as whoever started it knows it
 * @param requestBudget counts what is sent; a new one unless it is shared with others
 */
export function openRunTarget(
  { settings, replay }: RunInputs,
  reference: Endpoint,
  requestBudget?: RequestBudget,
): RunTarget {
  if (replay !== undefined) {
    const { evidence, origin } = readRecordedRun(replay);
    const recorded = createReplay(evidence);
    const channel = recorded.createChannel('');
    // What is secret was replaced when it was recorded.
    const options = { replay: recorded, keeper: createEvidenceKeeper((text) => text) };
    return { channel, baseUrl: origin.baseUrl, options, close: async () => undefined };
  }
  const { location: place, options } = loadTarget(process.env).connection;
  const endpoint = resolveEndpoint(place, reference);
  const client = openTarget(settings.target, endpoint, options, requestBudget);
  const keeper = createEvidenceKeeper(client.redactSecrets);
  return { channel: client, baseUrl: endpoint.baseUrl, options: { keeper }, close: () => client.close() };
}
