import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { computeOnce } from '../../../src/support/caches.js';
import { packageRoot } from '../../../src/support/package-root.js';
import { conditions } from './branch.js';

/** Why no run shows a mistake at a place, for a class of both. */
export type Invisibility =
  | { readonly is: 'open'; readonly question: string }
  /** A documented request shows it, and the suite sends none, in order to send few. */
  | { readonly is: 'undetected'; readonly reason: string }
  | { readonly is: 'not-visible'; readonly reason: string };

interface Rule {
  readonly places: RegExp;
  readonly mistakes: RegExp;
  readonly invisibility: Invisibility;
}

/** An entry of `invisibility.yaml`: patterns of ids, and why. */
type Entry = Invisibility & { readonly places: string; readonly mistakes?: string };

const openConditions = conditions.flatMap(({ id, question, axis }) =>
  question === undefined ? [] : [{ id, question, axis }],
);

function readRules(): Rule[] {
  const file = path.join(packageRoot, 'tools', 'proof', 'mistakes', 'invisibility.yaml');
  const entries: readonly Entry[] = parse(readFileSync(file, 'utf8'));
  const alternatives = openConditions.map(({ id }) => id).join('|');
  return entries.map(({ places, mistakes = '', ...invisibility }) => ({
    places: new RegExp(places.replace('<open conditions>', alternatives)),
    mistakes: new RegExp(mistakes),
    invisibility,
  }));
}

/** A request that meets an open condition: what it returns is open, except for the losses that still bind. */
function listBranchRules(): Rule[] {
  const ofRules = 'product-rules-lost|sku-rules-lost|metadata-rules-lost|quantities-lost|all-rules-lost|';
  return openConditions.map(({ id, question, axis }) => ({
    places: new RegExp(`^requests-(?:.*-and-)?${id}(?:-and-.*)?$`),
    // Open filters leave invalid tiers invalid. What is reserved for another customer shows the loss of reservations.
    mistakes: new RegExp(`^(?:${axis === 'filters' ? '' : ofRules}.*-unread|page-of-.*)$`),
    invisibility: { is: 'open', question },
  }));
}

const listRules = computeOnce(() => [...readRules(), ...listBranchRules()]);

/** Why no run shows a mistake at a place; `undefined` when it must. */
export function findInvisibility(place: string, mistake: string): Invisibility | undefined {
  return listRules().find(({ places, mistakes }) => places.test(place) && mistakes.test(mistake))?.invisibility;
}
