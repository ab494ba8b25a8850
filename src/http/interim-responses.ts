import type { Socket } from 'node:net';

/** The beginning of an interim response. 101 is excluded: another protocol follows it. */
const beginning = /^HTTP\/1\.\d 1(?!01)\d\d[ \r]/;
const example = 'HTTP/1.1 100 ';
const endOfHead = '\r\n\r\n';
const noBytes = Buffer.alloc(0);

/**
 * Removes interim responses (RFC 9110, section 15.2) from what a socket receives. A client must accept any number of
 * them, but undici fails at a 100 that it did not ask for. Each write counts as a request, and responses come one at a
 * time.
 *
 * @param maxHead the largest head to inspect, in bytes
 * @returns the same socket
 */
export function dropInterimResponses<S extends Socket>(socket: S, maxHead: number): S {
  let awaitsHead = true;
  /** The beginning of a head that may be interim. */
  let head: Buffer = noBytes;

  /** Returns the bytes that are not interim. Keeps back the beginning of a head. */
  const filter = (chunk: Buffer): Buffer => {
    if (!awaitsHead) return chunk;
    head = Buffer.concat([head, chunk]);
    while (head.length > 0 && head.length <= maxHead && mayBeInterim(head)) {
      const end = head.indexOf(endOfHead);
      if (end === -1) return noBytes;
      head = head.subarray(end + endOfHead.length);
    }
    if (head.length > 0) awaitsHead = false;
    return takeHead();
  };
  const takeHead = (): Buffer => {
    const bytes = head;
    head = noBytes;
    return bytes;
  };

  const { write, push } = socket;
  socket.write = function (this: S, ...args: unknown[]) {
    awaitsHead = true;
    return Reflect.apply(write, this, args);
  };
  socket.push = function (this: S, chunk: Buffer | null, encoding) {
    const bytes = chunk === null ? takeHead() : filter(chunk);
    const continues = bytes.length === 0 || push.call(this, bytes, encoding);
    return chunk === null ? push.call(this, null) : continues;
  };
  return socket;
}

function mayBeInterim(head: Buffer): boolean {
  const text = head.toString('latin1', 0, example.length);
  return beginning.test(text + example.slice(text.length));
}
