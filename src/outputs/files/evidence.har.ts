import type { Output } from '../output.js';

export default (({ archive }) => archive?.content) satisfies Output;
