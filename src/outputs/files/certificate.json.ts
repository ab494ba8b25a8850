import { computeDigest } from '../../support/digest.js';
import type { OutputRenderer } from '../output.js';

export default (({ certificate, archive }) => {
  if (archive === undefined) return { json: certificate };
  const { content, count: exchanges } = archive;
  return { json: { ...certificate, evidence: { file: 'evidence.har', digest: computeDigest(content), exchanges } } };
}) satisfies OutputRenderer;
