import { Option } from 'commander';
import { loadSuite, ownFolder } from '../../cases/suite.js';
import { explanation } from '../../engine/explain.js';
import { UnusableInput } from '../../support/problem.js';
import { suggest } from '../../support/suggest.js';
import { availabilityOf } from '../../targets/availability.js';
import type { ConfigureCommand } from '../command.js';
import { countNumber, setVariables } from '../flags.js';

const configure: ConfigureCommand = (command) => {
  command
    .description('says in plain words what a case sends, what the documentation says of it, and what is expected')
    .argument('<case>', 'the id of a case, or of a question')
    .addOption(new Option('--row <number>', 'shows this row of its matrix').argParser(countNumber))
    .option('--target <file>', 'a target file: with the ids of that deployment (environment: TARGET)')
    .action(explain);
};

export default configure;

function explain(id: string, { row, target }: { row?: number; target?: string }): void {
  setVariables({ TARGET: target });
  const suite = loadSuite(ownFolder, availabilityOf(process.env).availability);
  const testCase = suite.cases.find((each) => each.id === id);
  if (testCase === undefined) {
    const ids = suite.cases.map((each) => each.id);
    throw new UnusableInput([{ at: { setting: id }, message: 'is no case', hint: suggest(id, ids) }]);
  }
  const { length } = testCase.rows;
  if (row !== undefined && row > length) {
    const hint = `It has ${length === 1 ? 'one row' : `${length} rows`}.`;
    throw new UnusableInput([{ at: { setting: '--row' }, message: `${id} has no row ${row}`, hint }]);
  }
  process.stdout.write(explanation(testCase, suite, row));
}
