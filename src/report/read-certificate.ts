import { parseJson } from '../support/json.js';
import { UnusableInput } from '../support/problem.js';
import { validateFile } from '../support/schema-validation.js';
import { parseYaml, readYaml, type YamlFile } from '../support/yaml-file.js';
import type { Certificate } from './certificate.js';

/** Reads a certificate. @throws UnusableInput with all that is wrong with it; in one line, where it is none at all */
export function readCertificate(file: string): Certificate {
  return certificateIn(readYaml(file, file), file);
}

/** The same from the text of a file, which has to be JSON. */
export function parseCertificate(text: string, file: string): Certificate {
  if (parseJson(text) === undefined)
    throw new UnusableInput([{ at: { setting: file }, message: 'is no JSON, as it was written' }]);
  return certificateIn(parseYaml(text, file), file);
}

function certificateIn(yaml: YamlFile, file: string): Certificate {
  const { verdict, requirements } = (yaml.value ?? {}) as Partial<Certificate>;
  if (verdict === undefined || requirements === undefined) {
    const hint = 'A run writes one: results/<target>/certificate.json.';
    throw new UnusableInput([{ at: { setting: file }, message: 'is no certificate', hint }]);
  }
  return validateFile('certificate', yaml) as Certificate;
}
