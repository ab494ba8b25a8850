/** Whether requests to a URL reach another machine in plain text. */
export function exposesCredentials(url: URL): boolean {
  return url.protocol === 'http:' && !isLoopback(url);
}

/** Host names of this machine (RFC 6761, section 6.3; RFC 5735, section 3), as a URL normalizes them. */
const loopback = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]+\])$/;

export function isLoopback({ hostname }: URL): boolean {
  return loopback.test(hostname);
}
