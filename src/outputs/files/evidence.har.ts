import type { OutputRenderer } from '../output.js';

export default (({ archive }) => archive?.content) satisfies OutputRenderer;
