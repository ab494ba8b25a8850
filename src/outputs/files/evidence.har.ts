import type { Output } from '../output.js';

export default (({ archive }) =>
  archive && { bytes: archive.content, isCompressed: archive.isCompressed }) satisfies Output;
