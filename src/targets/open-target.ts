import { listCredentialSecrets } from '../contract/operation.js';
import { createRelocatedChannel } from '../contract/relocation.js';
import { type Client, openClient } from '../http/client.js';
import type { Endpoint, PartialConnectionOptions } from '../http/connection-options.js';
import type { RequestBudget } from '../http/request-budget.js';
import type { Target } from './target.js';

/**
 * Opens a client for a target. It uses the method and path of the target for the operation.
 *
 * @param requestBudget a budget to share with other clients; a new one by default
 */
export function openTarget(
  { operation }: Pick<Target, 'operation'>,
  { baseUrl, credentials }: Endpoint,
  options: PartialConnectionOptions,
  requestBudget?: RequestBudget,
): Client {
  const secrets = [...listCredentialSecrets(credentials), ...(options.secrets ?? [])];
  return createRelocatedChannel(openClient({ ...options, baseUrl, secrets }, requestBudget), operation);
}
