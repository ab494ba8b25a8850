import { createRelocatedChannel } from '../contract/relocation.js';
import { createAdaptedChannel } from '../http/adapted-channel.js';
import { startAdapter } from '../http/adapter-thread.js';
import { type Client, openClient } from '../http/client.js';
import type { Endpoint, PartialConnectionOptions } from '../http/connection-options.js';
import type { Channel } from '../http/exchange.js';
import type { RequestBudget } from '../http/request-budget.js';
import type { UnusableInput } from '../support/problem.js';
import type { Target } from './target.js';
import { listSecrets } from './target-connection.js';

export interface TargetClient extends Client {
  /** Why the adapter of the target cannot be used, if so. Nothing was sent since then, and no verdict is valid. */
  findFailure(): UnusableInput | undefined;
}

/**
 * Opens a client for a target. It uses the method and path of the target for the operation, or its adapter.
 *
 * @param requestBudget a budget to share with other clients; a new one by default
 */
export function openTarget(
  target: Pick<Target, 'operation'>,
  endpoint: Endpoint,
  options: PartialConnectionOptions,
  requestBudget?: RequestBudget,
): TargetClient {
  const { baseUrl } = endpoint;
  const client = openClient({ ...options, baseUrl, secrets: listSecrets({ endpoint, options }) }, requestBudget);
  const { channel, findFailure, close } = adaptToTarget(client, target, options);
  return {
    ...channel,
    findFailure,
    close: async () => {
      await close();
      await client.close();
    },
  };
}

/** Wraps a channel so that it uses the method and path of a target, or its adapter. */
export function adaptToTarget<T extends Channel>(
  channel: T,
  { operation }: Pick<Target, 'operation'>,
  { adapter: file }: Pick<PartialConnectionOptions, 'adapter'>,
): { channel: T; findFailure(): UnusableInput | undefined; close(): Promise<void> } {
  if (file === undefined) {
    const relocated = createRelocatedChannel(channel, operation);
    return { channel: relocated, findFailure: () => undefined, close: async () => undefined };
  }
  const adapter = startAdapter(file, (text) => channel.redact(text));
  return { channel: createAdaptedChannel(channel, adapter), ...adapter };
}
