import path from 'node:path';
import Mustache from 'mustache';
import type { Certificate } from '../certificate/certificate.js';
import type { DecisionSubject } from '../own-data/data-decisions.js';
import { computeOnce } from '../support/caches.js';
import { packageRoot } from '../support/package-root.js';
import { readYaml } from '../support/yaml-file.js';

/** What the results of a run on own data depend on, and what not, each in words. Undefined for other runs. */
export interface DataDecisionsView {
  readonly shown: readonly string[];
  readonly notShown: readonly string[];
}

interface Words {
  readonly subjects: Readonly<Record<DecisionSubject, string>>;
  readonly decisions: Readonly<Record<string, string>>;
}

const readWords = computeOnce(
  () => readYaml(path.join(packageRoot, 'templates', 'data-decisions.yaml')).value as Words,
);

export function viewDataDecisions({ data }: Pick<Certificate, 'data'>): DataDecisionsView | undefined {
  const decisions = data?.covered.decisions ?? [];
  if (decisions.length === 0) return undefined;
  return {
    shown: decisions.flatMap(({ decision, shown_for }) => describe(decision, shown_for, 'and')),
    notShown: decisions.flatMap(({ decision, not_shown_for }) => describe(decision, not_shown_for, 'or')),
  };
}

function describe(decision: string, subjects: readonly DecisionSubject[], joint: 'and' | 'or'): string[] {
  const words = readWords();
  if (subjects.length === 0) return [];
  const named = subjects.map((subject) => words.subjects[subject]);
  const of = [named.slice(0, -1).join(', '), ...named.slice(-1)].filter(Boolean).join(` ${joint} `);
  // A certificate of another version may have other decisions.
  return [Mustache.render(words.decisions[decision] ?? decision, { of }, {}, { escape: String })];
}
