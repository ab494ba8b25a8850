import type { Suite } from '../../src/suite/suite.js';

/** The folders of specs: Playwright runs them in the order of their names. */
const folders: Readonly<Record<string, string>> = { requirements: '1-requirements', questions: '2-questions' };

/** Renders the spec of each case file. @returns texts by the paths of the files */
export function renderSpecs({ cases }: Suite): Map<string, string> {
  const files = [...new Set(cases.map(({ at }) => at.file.replace(/^cases\//, '')))];
  return new Map(
    files.map((file) => {
      const [kind = '', name = ''] = file.split('/');
      const text = `import { defineCases } from '../../src/runner/define-cases.js';\n\ndefineCases('${file}');\n`;
      return [`specs/${folders[kind]}/${name}.spec.ts`, text];
    }),
  );
}
