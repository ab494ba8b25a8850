import type { Output } from '../output.js';

const renderEvidence: Output = ({ archive }) =>
  archive && { bytes: archive.content, isCompressed: archive.isCompressed };

export default renderEvidence;
