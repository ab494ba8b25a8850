import { renderCaseExplanation, renderCaseList } from '../../outputs/terminal/case-explanation.js';
import { findCasesByName, selectCases } from '../../suite/case-selection.js';
import { loadSuite, packageCasesFolder } from '../../suite/suite.js';
import type { ConfigureCommand } from '../flags.js';

export default ((command) => {
  command
    .description('explain what a case sends, what the documentation says about that, and what is expected')
    .argument(
      '<name>',
      'the id of a case, a requirement or a question, or a tag; if it has several cases, they are listed',
    )
    .option('--cases <folder>', 'a folder of your own cases')
    .action((name: string, { cases }: { cases?: string }) => {
      const suite = loadSuite(packageCasesFolder, {}, cases);
      const named = suite.cases.filter(({ id }) => id === name);
      const selected = () => selectCases(suite, { only: findCasesByName([name], suite, 'explain') });
      const found = named.length > 0 ? named : selected();
      const [testCase] = found;
      const isSingle = testCase !== undefined && found.length === 1;
      process.stdout.write(isSingle ? renderCaseExplanation(testCase, suite) : renderCaseList(name, found, suite));
    });
}) satisfies ConfigureCommand;
