import type { ConfigureCommand } from '../command.js';
import { type TargetFlags, targetFlags } from '../flags.js';

const configure: ConfigureCommand = (command, end) => {
  targetFlags(command)
    .description('sends at most three requests, and says what keeps a target from being certified')
    .argument('[base-url]', 'in place of --base-url')
    .action(async (url: string | undefined, flags: TargetFlags) => {
      const { doctor } = await import('../diagnosing.js');
      end(await doctor(url, flags));
    });
};

export default configure;
