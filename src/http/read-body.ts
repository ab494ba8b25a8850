import type { Readable } from 'node:stream';
import { parseJson } from '../support/json.js';
import { createReason, renderReason } from '../support/reason.js';
import type { ConnectionLimits } from './connection-options.js';
import { ExchangeError } from './transport-error.js';

/**
 * Reads the bytes of a body. If they are whole JSON, and nothing more comes for half of the timeout, the end that the response
 * announces is wrong. A body that is not whole by then may come from a slow deployment.
 *
 * @throws ExchangeError if the body is whole and does not end
 */
export async function readBody(body: Readable, { timeout_ms }: ConnectionLimits): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const endIfWhole = () => {
    const received = parseJson(Buffer.concat(chunks).toString());
    if (typeof received === 'object' && received !== null)
      body.destroy(new ExchangeError('unreadable', renderReason(createReason('body-endless'))));
  };
  const timer = setTimeout(endIfWhole, timeout_ms / 2);
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      timer.refresh();
    }
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks);
}
