import { listCredentialSecrets } from '../contract/operation.js';
import { relocated } from '../contract/relocation.js';
import { type Client, openClient } from '../http/client.js';
import type { Endpoint, PartialConnectionOptions } from '../http/connection-options.js';
import type { RequestBudget } from '../http/request-budget.js';
import type { Target } from './target.js';

/**
 * Opens a client for a target, which sends to wherever the target offers the operation.
 *
 * @param endpoint of the target, or of the reference deployment that was started in its place
 * @param options as the target file states them
 * @param requestBudget counts what is sent; a new one unless it is shared with others
 */
export function openTarget(
  { operation }: Pick<Target, 'operation'>,
  { baseUrl, credentials }: Endpoint,
  options: PartialConnectionOptions,
  requestBudget?: RequestBudget,
): Client {
  const secrets = [...listCredentialSecrets(credentials), ...(options.secrets ?? [])];
  return relocated(openClient({ ...options, baseUrl, secrets }, requestBudget), operation);
}
