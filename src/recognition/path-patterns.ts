import escapeStringRegexp from 'escape-string-regexp';
import { cacheByText } from '../support/cache-by-text.js';

/** `*` stands for a step or a part of one, `**` for any number of steps. An index matches any: a filter decides about it. */
export function matchesPatterns(path: string, stated: readonly string[]): boolean {
  return stated.some((pattern) => pattern === path || compilePattern(pattern).test(path));
}

const compilePattern = cacheByText((pattern) => {
  const steps = pattern.split('/').slice(1);
  const sources = steps.map((step) => {
    if (step === '**') return '(?:/[^/]*)*';
    if (/^\d+$/.test(step)) return `/(?:${step}|\\*)`;
    return `/${step.split('*').map(escapeStringRegexp).join('[^/]*')}`;
  });
  return new RegExp(`^${sources.join('')}$`);
});
