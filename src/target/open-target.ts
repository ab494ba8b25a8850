import { createRelocatedChannel } from '../contract/relocation.js';
import { createAdaptedChannel } from '../http/adapted-channel.js';
import { startAdapter } from '../http/adapter-thread.js';
import { type Client, openClient } from '../http/client.js';
import type { Endpoint, PartialConnectionOptions } from '../http/connection-options.js';
import type { Channel } from '../http/exchange.js';
import type { RequestBudget } from '../http/request-budget.js';
import type { Target } from './target.js';
import { listSecrets } from './target-connection.js';

/**
 * Opens a client for a target, as {@link adaptToTarget} describes.
 *
 * @param requestBudget a budget to share with other clients; a new one by default
 */
export function openTarget(
  target: Pick<Target, 'operation'>,
  endpoint: Endpoint,
  options: PartialConnectionOptions,
  requestBudget?: RequestBudget,
): Client {
  const { baseUrl } = endpoint;
  const client = openClient({ ...options, baseUrl, secrets: listSecrets({ endpoint, options }) }, requestBudget);
  return adaptToTarget(client, target, options);
}

/**
 * Wraps a channel so that it uses the method and path of a target, or its adapter. If the adapter fails, nothing is sent
 * from then on, and `close` throws an UnusableInput: no verdict is valid.
 */
export function adaptToTarget<T extends Channel & Pick<Client, 'close'>>(
  channel: T,
  { operation }: Pick<Target, 'operation'>,
  { adapter: file }: Pick<PartialConnectionOptions, 'adapter'>,
): T {
  if (file === undefined) return createRelocatedChannel(channel, operation);
  const adapter = startAdapter(file, (text) => channel.redact(text));
  const close = async () => {
    await channel.close();
    await adapter.close();
  };
  return { ...createAdaptedChannel(channel, adapter), close };
}
