import type { HttpRequest } from '../http/exchange.js';
import { parseRequest } from '../http/request-content.js';
import { loadValidator } from '../support/schema-validation.js';

/**
 * Explains why a request is not documented (`schemas/request.schema.json`), or why a strict parser may refuse its text;
 * undefined if neither. Nothing is required of any other request.
 */
export function explainUndocumented(request: HttpRequest): string | undefined {
  const content = parseRequest(request);
  const validate = loadValidator('request');
  const query: Record<string, string[]> = {};
  for (const [name, value] of content.query) query[name] = [...(query[name] ?? []), value];
  if (validate({ ...content, query })) return explainInvalidText(request);
  const error = validate.errors?.find(({ keyword }) => keyword !== 'oneOf') ?? validate.errors?.[0];
  const extra: unknown = error?.params.additionalProperty ?? error?.params.missingProperty;
  const where = `${error?.instancePath || 'the request'}${typeof extra === 'string' ? ` (${extra})` : ''}`;
  return `the documentation does not describe it: ${where} ${error?.message ?? ''}`;
}

/** Half of a surrogate pair: it is not a character. */
const loneSurrogate = /\p{Surrogate}/u;
/** A JSON string, with the colon behind the name of a member; or a number. */
const jsonToken = /"(?:[^"\\]|\\.)*"(?<colon>\s*:)?|(?<number>-?\d[\d.eE+-]*)/g;

/** Explains why parsers may disagree about a text: RFC 7493, section 2 (I-JSON), and RFC 3986, section 2.5. */
function explainInvalidText({ path, body = 'null' }: HttpRequest): string | undefined {
  try {
    if (loneSurrogate.test(decodeURIComponent(path))) return 'the path has half of a surrogate pair';
  } catch {
    return 'the percent-encoded path is not UTF-8';
  }
  const tokens = [...body.matchAll(jsonToken)];
  const number = tokens.find(({ groups }) => groups?.number && !Number.isSafeInteger(Number(groups.number)));
  if (number !== undefined) return `a double does not hold the number ${number[0]} exactly`;
  let members = 0;
  let isWellFormed = true;
  JSON.parse(body, function (this: unknown, name: string, value: unknown) {
    if (!Array.isArray(this)) members += 1;
    isWellFormed &&= !loneSurrogate.test(name) && !(typeof value === 'string' && loneSurrogate.test(value));
    return value;
  });
  if (!isWellFormed) return 'the body has half of a surrogate pair';
  // The reviver sees the whole body as one more member.
  if (tokens.filter(({ groups }) => groups?.colon).length !== members - 1) return 'an object of the body repeats a key';
  return undefined;
}
