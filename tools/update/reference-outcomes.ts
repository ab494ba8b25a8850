import type { Contract } from '../../src/contract/contract.js';

/** The outcomes that the reference deployment can show, as types that the compiler checks. */
export const referenceOutcomesFile = 'reference/deployment/outcomes.ts';

/** Renders {@link referenceOutcomesFile} from the contract. */
export function renderReferenceOutcomes({ questions }: Contract): string {
  const lines = questions.flatMap(({ id, answer }) => {
    if (answer.kind === 'value') return [];
    const key = /^[a-z]+$/.test(id) ? id : `'${id}'`;
    return `  ${key}: [${[...answer.outcomes.keys()].map((outcome) => `'${outcome}'`).join(', ')}],`;
  });
  return [
    '// Written by `npm run update` from cases/contract.yaml.',
    '',
    '/** Every question with named outcomes, and its outcomes. */',
    '// biome-ignore format: a line for each question.',
    'export const outcomes = {',
    ...lines,
    '} as const;',
    '',
  ].join('\n');
}
