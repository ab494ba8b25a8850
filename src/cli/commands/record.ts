import type { ConfigureCommand } from '../flags.js';
import configureCertify from './certify.js';

const describeKnown =
  'add the deviations of the run that the file does not have, and write no record without --to; `record` without this flag reads `known` of the target file, and leaves it as it is';

export default ((command, end, playwrightArgs) => {
  configureCertify(command, end, playwrightArgs);
  command
    .description(
      'run the cases, show what changed since the last record, and write a new one: all answers of the target; with --known, write down what is wrong with it instead',
    )
    .option('--to <file>', 'where to write the record (default: `record` of the target file)')
    .setOptionValue('to', true);
  const known = command.options.find(({ long }) => long === '--known');
  if (known !== undefined) known.description = describeKnown;
}) satisfies ConfigureCommand;
