import type { ConfigureCommand } from '../command.js';
import { addTargetFlags, type TargetFlags } from '../flags.js';

export default ((command, end) => {
  addTargetFlags(command)
    .description('check with at most three requests whether a target can be certified')
    .option('--json', 'print JSON')
    .argument('[base-url]', 'the same as --base-url')
    .action(async (url: string | undefined, flags: TargetFlags & { json?: true }) => {
      const { runDoctor } = await import('../doctor-action.js');
      end(await runDoctor(url, flags));
    });
}) satisfies ConfigureCommand;
