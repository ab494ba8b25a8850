import type { Socket } from 'node:net';

/** How an interim response begins, such as this one; after 101, another protocol is spoken. */
const beginning = /^HTTP\/1\.\d 1(?!01)\d\d[ \r]/;
const example = 'HTTP/1.1 100 ';
const endOfHead = '\r\n\r\n';
const nothing = Buffer.alloc(0);

/**
 * Leaves interim responses (RFC 9110, section 15.2) out of what a socket receives: a client must accept any number of
 * them, and undici takes a 100 that it did not wait for as an error. What is written is taken for a request, and the
 * responses to requests come one after another.
 *
 * @param maxHead how many bytes a head may have to be looked at
 * @returns the same socket
 */
export function withoutInterimResponses<S extends Socket>(socket: S, maxHead: number): S {
  let awaitsHead = true;
  /** What came of a head that may be an interim one. */
  let head: Buffer = nothing;

  /** The bytes that belong to something else; the others are gone, or wait for more. */
  const others = (chunk: Buffer): Buffer => {
    if (!awaitsHead) return chunk;
    head = Buffer.concat([head, chunk]);
    while (head.length > 0 && head.length <= maxHead && mayBeInterim(head)) {
      const end = head.indexOf(endOfHead);
      if (end === -1) return nothing;
      head = head.subarray(end + endOfHead.length);
    }
    if (head.length > 0) awaitsHead = false;
    return taken();
  };
  const taken = (): Buffer => {
    const bytes = head;
    head = nothing;
    return bytes;
  };

  const write = socket.write;
  const push = socket.push;
  socket.write = function (this: S, ...args: unknown[]) {
    awaitsHead = true;
    return Reflect.apply(write, this, args);
  };
  socket.push = function (this: S, chunk: Buffer | null, encoding) {
    const bytes = chunk === null ? taken() : others(chunk);
    const goesOn = bytes.length === 0 || push.call(this, bytes, encoding);
    return chunk === null ? push.call(this, null) : goesOn;
  };
  return socket;
}

/** Whether bytes are an interim response, or its beginning. */
function mayBeInterim(head: Buffer): boolean {
  const text = head.toString('latin1', 0, example.length);
  return beginning.test(text + example.slice(text.length));
}
