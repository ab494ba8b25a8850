import { computeDigest } from '../../certificate/har-archive.js';
import type { Output } from '../output.js';

export default (({ certificate, archive }) => {
  if (archive === undefined) return { json: certificate };
  const { isCompressed, content, count } = archive;
  const file = isCompressed ? 'evidence.har.gz' : 'evidence.har';
  return { json: { ...certificate, evidence: { file, digest: computeDigest(content), exchanges: count } } };
}) satisfies Output;
