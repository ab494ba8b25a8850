import certificateHtml from './files/certificate.html.js';
import certificateJson from './files/certificate.json.js';
import evidenceHar from './files/evidence.har.js';
import observedMd from './files/observed.md.js';
import openapiYaml from './files/openapi.yaml.js';
import summaryMd from './files/summary.md.js';
import type { OutputRenderer } from './output.js';
import type { OutputFile } from './result-files.js';

/** The renderer of each file of a run. */
export const outputRenderers: Readonly<Record<OutputFile, OutputRenderer>> = {
  'certificate.html': certificateHtml,
  'certificate.json': certificateJson,
  'evidence.har': evidenceHar,
  'observed.md': observedMd,
  'openapi.yaml': openapiYaml,
  'summary.md': summaryMd,
};
