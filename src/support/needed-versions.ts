import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from './package-root.js';

/** What the package needs of `node` and of `@playwright/test`, such as `>=20.19`, from its `package.json`. */
export function readNeededVersions(): { readonly node: string; readonly playwright: string } {
  const { engines, peerDependencies } = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8'));
  return { node: engines.node, playwright: peerDependencies['@playwright/test'] };
}

/** Says it in words: `>=20.19` is `20.19 or newer`. */
export function describeNeededVersion(needed: string): string {
  return `${needed.replace('>=', '')} or newer`;
}

/** Whether a version is at least the one that is needed. @param needed such as `>=20.19` */
export function isNewEnough(version: string, needed: string): boolean {
  const [major = 0, minor = 0] = parseVersion(version);
  const [neededMajor = 0, neededMinor = 0] = parseVersion(needed);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}

function parseVersion(text: string): number[] {
  return (/\d+\.\d+/.exec(text)?.[0] ?? '').split('.').map(Number);
}
