import type { ConfigureCommand } from '../flags.js';
import configureCertify from './certify.js';

export default ((command, end, playwrightArgs) => {
  configureCertify(command, end, playwrightArgs);
  command
    .description(
      'run the cases, show what changed since the last record, and write a new one: all answers of the target',
    )
    .option('--to <file>', 'where to write the record (default: `record` of the target file)')
    .setOptionValue('to', true);
}) satisfies ConfigureCommand;
