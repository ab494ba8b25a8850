import { parseJson } from '../support/json.js';
import { UnusableInput } from '../support/problem.js';
import { readInputFile } from '../support/read-input-file.js';
import { validateFile } from '../support/schema-validation.js';
import { parseYaml } from '../support/yaml-file.js';
import type { Certificate } from './certificate.js';

/** Reads a certificate. @throws UnusableInput with every problem of the file */
export function readCertificate(file: string): Certificate {
  const text = readInputFile(file, 'Name the certificate.json of a run.').toString('utf8');
  if (parseJson(text) === undefined)
    throw new UnusableInput([{ at: { setting: file }, message: 'is not valid JSON: it was changed or is damaged' }]);
  const yaml = parseYaml(text, file);
  const { verdict, requirements } = (yaml.value ?? {}) as Partial<Certificate>;
  if (verdict === undefined || requirements === undefined) {
    const hint = 'A run writes one: results/<target>/certificate.json.';
    throw new UnusableInput([{ at: { setting: file }, message: 'is not a certificate', hint }]);
  }
  return validateFile('certificate', yaml) as Certificate;
}
