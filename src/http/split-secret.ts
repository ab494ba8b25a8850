/**
 * Which parts of a secret are secrets by themselves: a gateway shows a token without its scheme, a cookie without the others,
 * or the password of a decoded `Basic`.
 */

/** Secrets with fewer characters are a part of many words: they are replaced only as a whole value, and beside their name. */
export const minSecretLengthInsideText = 8;

/**
 * Lists the parts of a secret header value, or of the URL of a proxy. What follows a scheme and a password are parts whatever
 * their length is. User names, cookie values and pairs of name and value are parts from {@link minSecretLengthInsideText} on: shorter
 * ones, such as `theme=dark`, are ordinary words.
 */
export function splitSecret(value: string): string[] {
  const { credentials, password, names } = readScheme(value) ?? readUserInfo(value) ?? { names: [] };
  const words = [...names, ...listPairs(credentials ?? value)];
  const always = [credentials, password].filter((part) => part !== undefined && part !== '') as string[];
  const parts = [...always, ...words.filter((part) => part.length >= minSecretLengthInsideText)];
  return [...new Set([...parts, ...parts.flatMap(decodePercent)])].filter((part) => part !== value);
}

interface Structure {
  readonly credentials?: string;
  readonly password?: string;
  /** What identifies somebody, without a secret. */
  readonly names: readonly string[];
}

/** Reads a scheme and its credentials (RFC 9110, section 11.4); those of `Basic` are decoded (RFC 7617). */
function readScheme(value: string): Structure | undefined {
  const [, scheme = '', credentials] = /^([A-Za-z][\w-]*)[ \t]+(\S.*)$/s.exec(value.trim()) ?? [];
  if (credentials === undefined) return undefined;
  if (!/^basic$/i.test(scheme)) return { credentials, names: [] };
  const decoded = Buffer.from(credentials, 'base64').toString('utf8');
  const [, user = '', password] = /^([^:]*):(.*)$/s.exec(decoded) ?? [];
  return password === undefined ? { credentials, names: [] } : { credentials, password, names: [decoded, user] };
}

/** Reads the user and the password of a URL. */
function readUserInfo(value: string): Structure | undefined {
  const [, user = '', password = ''] = /^https?:\/\/([^:@/]*)(?::([^@/]*))?@/i.exec(value.trim()) ?? [];
  return user === '' ? undefined : { password, names: [user, `${user}:${password}`] };
}

/** Lists pairs of name and value, and their values: cookies (RFC 6265), and the parameters of a scheme. */
function listPairs(value: string): string[] {
  return value.split(/[;,]\s*/).flatMap((pair) => {
    const [, name, stated = ''] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/s.exec(pair) ?? [];
    return name === undefined ? [] : [pair.trim(), stated.replace(/^"(.*)"$/s, '$1')];
  });
}

/** Clients percent-encode the values of cookies, and deployments decode them. */
function decodePercent(part: string): string[] {
  try {
    return [decodeURIComponent(part)];
  } catch {
    return [];
  }
}
