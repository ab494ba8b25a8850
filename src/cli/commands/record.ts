import type { ConfigureCommand } from '../command.js';
import configureCertify from './certify.js';

export default ((command, end, playwrightArgs) => {
  configureCertify(command, end, playwrightArgs);
  command
    .description('run the cases and write a record: what the target does where the documentation is silent')
    .requiredOption('--to <file>', 'where to write the record')
    .option('--update', 'show the differences from the existing record, and accept them');
}) satisfies ConfigureCommand;
