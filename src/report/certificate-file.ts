import { UnusableInput } from '../support/problem.js';
import { checkedValue } from '../support/schema.js';
import { readYaml } from '../support/yaml-file.js';
import type { Certificate } from './certificate.js';

/** Reads a certificate. @throws UnusableInput with all that is wrong with it; in one line, where it is none at all */
export function readCertificate(file: string): Certificate {
  const yaml = readYaml(file, file);
  const { verdict, requirements } = (yaml.value ?? {}) as Partial<Certificate>;
  if (verdict === undefined || requirements === undefined) {
    const hint = 'A run writes one: results/<target>/certificate.json.';
    throw new UnusableInput([{ at: { setting: file }, message: 'is no certificate', hint }]);
  }
  return checkedValue('certificate', yaml) as Certificate;
}
