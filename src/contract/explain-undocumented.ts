import type { RequestContent } from '../http/request-content.js';
import { loadValidator } from '../support/schema-validation.js';

/** Explains why a request is not documented (`schemas/request.schema.json`); undefined if it is. */
export function explainUndocumented(content: RequestContent): string | undefined {
  const validate = loadValidator('request');
  const query: Record<string, string[]> = {};
  for (const [name, value] of content.query) query[name] = [...(query[name] ?? []), value];
  if (validate({ ...content, query })) return undefined;
  const error = validate.errors?.find(({ keyword }) => keyword !== 'oneOf') ?? validate.errors?.[0];
  const extra: unknown = error?.params.additionalProperty ?? error?.params.missingProperty;
  const where = `${error?.instancePath || 'the request'}${typeof extra === 'string' ? ` (${extra})` : ''}`;
  return `the documentation does not describe it: ${where} ${error?.message ?? ''}`;
}
