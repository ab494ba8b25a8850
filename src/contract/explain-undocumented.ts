import { type DecodedRequest, parseRequest } from '../http/decoded-request.js';
import type { HttpRequest } from '../http/exchange.js';
import { groupBy } from '../support/collections.js';
import { describeViolation } from '../support/describe-violation.js';
import { hasWellFormedTexts } from '../support/json.js';
import { loadValidator } from '../support/schema-validation.js';

/** Explains why a request is not documented (`schemas/internal/request.schema.json`), or why a strict parser may refuse its text. */
export function explainUndocumented(request: HttpRequest): string | undefined {
  const content = parseRequest(request);
  const validate = loadValidator('request');
  // A parameter may have the name of a member that every object inherits, such as `constructor`.
  const parameters = groupBy(content.query, ([name]) => name);
  const query = Object.fromEntries(Array.from(parameters, ([name, all]) => [name, all.map(([, value]) => value)]));
  if (validate({ ...content, query })) return explainInvalidText(request, content);
  const error = validate.errors?.find(({ keyword }) => keyword !== 'oneOf') ?? validate.errors?.[0];
  const extra: unknown = error?.params.additionalProperty ?? error?.params.missingProperty;
  const where = `${error?.instancePath || 'the request'}${typeof extra === 'string' ? ` (${extra})` : ''}`;
  return error === undefined ? where : `${where} ${describeViolation(error)}`;
}

/** Half of a surrogate pair in a text that was written by `JSON.stringify`. */
const surrogateEscape = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

/** Explains why parsers may disagree about a text: RFC 7493, section 2 (I-JSON), and RFC 3986, section 2.5. */
function explainInvalidText({ path, body = 'null' }: HttpRequest, content: DecodedRequest): string | undefined {
  try {
    if (!hasWellFormedTexts(decodeURIComponent(path))) return 'the path has half of a surrogate pair';
  } catch {
    return 'the percent-encoded path is not UTF-8';
  }
  const tokens = removeStrings(body);
  const number = tokens.match(/-?\d[\d.eE+-]*/g)?.find((text) => !Number.isSafeInteger(Number(text)));
  if (number !== undefined) return `a double does not hold the number ${number} exactly`;
  const written = JSON.stringify(content.body ?? null);
  if (surrogateEscape.test(written)) return 'the body has half of a surrogate pair';
  const countNames = (text: string) => text.match(/""\s*:/g)?.length;
  if (written !== body && countNames(tokens) !== countNames(removeStrings(written)))
    return 'an object of the body repeats a key';
  return undefined;
}

function removeStrings(json: string): string {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
}
