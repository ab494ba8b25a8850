import type { ConfigureCommand } from '../command.js';
import { addTargetFlags, type TargetFlags } from '../flags.js';

const configure: ConfigureCommand = (command, end) => {
  addTargetFlags(command)
    .description('sends at most three requests, and says what keeps a target from being certified')
    .argument('[base-url]', 'in place of --base-url')
    .action(async (url: string | undefined, flags: TargetFlags) => {
      const { runDoctor: doctor } = await import('../doctor-action.js');
      end(await doctor(url, flags));
    });
};

export default configure;
