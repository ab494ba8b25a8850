/** The headers that a target file must not add to requests, with the reasons. */

interface RefusedHeader {
  readonly names: RegExp;
  readonly reason: string;
  readonly hint: string;
}

const refusedHeaders: readonly RefusedHeader[] = [
  {
    names: /^x-client-(?:application-id|token)$/i,
    reason: 'is a credential, and some cases leave it out or change it',
    hint: "Name its variable under 'credentials'.",
  },
  {
    names: /^host$/i,
    reason: 'comes from the base URL',
    hint: "Set 'base_url' to the host that the deployment expects.",
  },
  {
    // Also Content-Length: undici drops another one, or refuses the request.
    names: /^content-/i,
    reason: 'describes the body, which each test case sets',
    hint: 'Remove it. To send other bodies, write cases of your own.',
  },
  {
    names: /^(?:transfer-encoding|te|trailer)$/i,
    reason: 'says how the body is framed, which the client decides',
    hint: 'Remove it. Some cases send chunked bodies already.',
  },
  {
    // Of the connection alone (RFC 9110, section 7.6.1): undici refuses most of them.
    names: /^(?:connection|keep-alive|proxy-connection|upgrade|http2-settings)$/i,
    reason: 'belongs to the connection, which the client manages',
    hint: 'Remove it. Whether connections are kept does not change what a deployment must answer.',
  },
  {
    names: /^expect$/i,
    reason: 'makes the deployment answer before it has the body, which the client cannot wait for',
    hint: 'Remove it.',
  },
  {
    names: /^proxy-auth(?:orization|enticate)$|^proxy-authentication-info$/i,
    reason: 'belongs to a proxy, and would go to the deployment',
    hint: "Set 'proxy' to a variable whose value is http://user:password@proxy.example:3128.",
  },
  {
    names: /^x-(?:http-)?method(?:-override)?$/i,
    reason: 'replaces the method of the operation',
    hint: 'Remove it. For another operation, use a transport (docs/transports.md).',
  },
  {
    names: /^(?:range|if-.*)$/i,
    reason: 'asks for a part of a response, or for none',
    hint: 'Remove it: each case needs a whole response.',
  },
];

/** Finds out why a target file must not set a header; undefined if it may. */
export function findReservedHeader(name: string): Omit<RefusedHeader, 'names'> | undefined {
  return refusedHeaders.find(({ names }) => names.test(name));
}
