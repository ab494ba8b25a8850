import { renderCaseExplanation } from '../../outputs/terminal/case-explanation.js';
import { findCasesByName, selectCases } from '../../suite/case-selection.js';
import { loadSuite, packageCasesFolder } from '../../suite/suite.js';
import { createInputError } from '../../support/problem.js';
import type { ConfigureCommand } from '../flags.js';

export default ((command) => {
  command
    .description('explain what a case sends, what the documentation says about that, and what is expected')
    .argument('<name>', 'the id of a case, or of a requirement or question with a single case')
    .option('--cases <folder>', 'a folder of your own cases')
    .action((name: string, { cases }: { cases?: string }) => {
      const suite = loadSuite(packageCasesFolder, {}, cases);
      const named = suite.cases.filter(({ id }) => id === name);
      const selected = () => selectCases(suite, { only: findCasesByName([name], suite, 'explain') });
      const [testCase, ...others] = named.length > 0 ? named : selected();
      if (testCase === undefined || others.length > 0)
        throw createInputError(
          name,
          'names several cases',
          `Choose one of those that this lists: npx conformance list cases ${name}`,
        );
      process.stdout.write(renderCaseExplanation(testCase, suite));
    });
}) satisfies ConfigureCommand;
