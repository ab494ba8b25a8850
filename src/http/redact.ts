/**
 * Keeping credentials out of everything that is shown or stored.
 *
 * What a deployment echoes is found in any form: plain, percent-encoded, escaped as in JSON or HTML, or in base64.
 */

/** A secret, and what stands in its place. */
export interface Secret {
  readonly value: string;
  readonly placeholder: string;
}

/**
 * Makes the function that replaces every occurrence of the secrets.
 *
 * @param secrets white space around a value does not go over the wire, so it does not come back; an empty value is
 *   passed over
 */
export function redactor(secrets: readonly Secret[]): (text: string) => string {
  const rules = secrets
    .map(({ value, placeholder }) => ({ value: value.trim(), placeholder }))
    .filter(({ value }) => value !== '')
    // The longer first, so that a secret that holds another is replaced as a whole.
    .sort((one, other) => other.value.length - one.value.length)
    .map(({ value, placeholder }) => ({ pattern: formsOf(value), placeholder }));
  return (text) =>
    rules.reduce((redacted, { pattern, placeholder }) => redacted.replace(pattern, () => placeholder), text);
}

/** Shorter secrets are part of many words, so they are replaced only where they stand by themselves. */
const minLengthInsideWords = 4;

function formsOf(secret: string): RegExp {
  const spelled = [...secret].map(characterForms).join('');
  if (secret.length < minLengthInsideWords) return new RegExp(`(?<![A-Za-z0-9])${spelled}(?![A-Za-z0-9])`, 'gu');
  return new RegExp([...base64Forms(secret), spelled].join('|'), 'gu');
}

/** As many as four levels of JSON in JSON write for one; without a bound, a text of backslashes alone takes for ever. */
const backslashes = '\\\\{1,15}';

/** A text as bytes: in UTF-8, as bodies are written, and in Latin-1, as headers are sent, where that differs. */
function bytesOf(text: string): Buffer[] {
  const [utf8, latin1] = [Buffer.from(text, 'utf8'), Buffer.from(text, 'latin1')];
  return latin1.equals(utf8) ? [utf8] : [utf8, latin1];
}

/** One character as it is, percent-encoded (RFC 3986), escaped as in JSON (RFC 8259) or HTML, or any mix over a text. */
function characterForms(character: string): string {
  const anyCase = (hex: string) => hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const percent = bytesOf(character).map((bytes) =>
    [...bytes].map((byte) => `%(?:25)?${anyCase(byte.toString(16).padStart(2, '0'))}`).join(''),
  );
  const unicode = character
    .split('')
    .map((unit) => `${backslashes}u${anyCase(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`)
    .join('');
  const code = character.codePointAt(0) ?? 0;
  const entity = `&#(?:0*${code}|[xX]0*${anyCase(code.toString(16))});`;
  const named: Record<string, string[]> = {
    ' ': ['\\+'],
    '\t': [`${backslashes}t`],
    '&': ['&amp;'],
    '<': ['&lt;'],
    '>': ['&gt;'],
    '"': ['&quot;'],
    "'": ['&apos;'],
  };
  // Latin-1 that comes back in a body that is meant to be UTF-8 is no text any more.
  const garbled = code > 0x7f ? ['\ufffd'] : [];
  // The character itself comes last, since other forms begin with it: & and &amp;.
  const plain = `(?:${backslashes})?${literal(character)}`;
  return `(?:${[...(named[character] ?? []), ...percent, unicode, entity, ...garbled, plain].join('|')})`;
}

/**
 * What a text looks like inside any base64 (RFC 4648): it can begin at each of three offsets, and the characters that
 * its neighbours share are left out. Short secrets are left out too: what remains of them occurs by chance.
 */
function base64Forms(secret: string): string[] {
  const [plus, slash] = [characterForms('+'), characterForms('/')];
  return bytesOf(secret).flatMap((bytes) => {
    if (bytes.length < 6) return [];
    return [0, 1, 2].map((offset) => {
      const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
      const from = Math.ceil((offset * 8) / 6);
      const to = Math.floor((padded.length * 8) / 6);
      const certain = padded.toString('base64').slice(from, to);
      // Either alphabet; the signs may be escaped in their turn.
      return certain.replaceAll(/[+/]/g, (sign) => (sign === '+' ? `(?:${plus}|-)` : `(?:${slash}|_)`));
    });
  });
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
