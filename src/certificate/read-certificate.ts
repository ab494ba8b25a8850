import { parseJson } from '../support/json.js';
import { refuse } from '../support/problem.js';
import { readInputFile } from '../support/read-input-file.js';
import { loadValidator } from '../support/schema-validation.js';
import { toOneLine } from '../support/untrusted-text.js';
import type { Certificate } from './certificate.js';

/** Reads a certificate. @throws UnusableInput with the first problem of the file */
export function readCertificate(file: string): Certificate {
  const hint = 'Name the certificate.json of a run: results/<target>/certificate.json.';
  const certificate = parseJson(readInputFile(file, hint).toString('utf8'));
  const validate = loadValidator('certificate');
  if (validate(certificate)) return certificate as Certificate;
  const [{ instancePath = '', message = '' } = {}] = validate.errors ?? [];
  const problem = certificate === undefined ? 'it is not JSON' : toOneLine(`${instancePath} ${message}`);
  throw refuse(file, `is not a certificate: ${problem}`, hint);
}
