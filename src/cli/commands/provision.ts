import { joinLines } from '../../support/untrusted-text.js';
import { runVariables } from '../../targets/environment.js';
import type { ConfigureCommand } from '../command.js';
import { setVariables } from '../flags.js';

const configure: ConfigureCommand = (command) => {
  command
    .description('has the world created in a deployment by the command of its target file, and writes down the ids')
    .option('--target <file>', 'a target file (environment: TARGET)')
    .option('--base-url <url>', 'in place of that of the target file (environment: BASE_URL)')
    .option('--cases <folder>', 'with what cases of your own presuppose')
    .option('--reuse', 'keeps what has an id already, and has only the rest created')
    .action(async (flags: { target?: string; baseUrl?: string; cases?: string; reuse?: boolean }) => {
      const { target, baseUrl, cases, reuse = false } = flags;
      const { provisionWorld: provision } = await import('../../targets/provision-world.js');
      setVariables({ TARGET: target, BASE_URL: baseUrl, [runVariables.cases]: cases });
      const say = (line: string) => process.stdout.write(joinLines([line]));
      const { bindings, bound, missing: without } = await provision(process.env, reuse, say);
      const rest = without.length === 0 ? [] : [`Without an id: ${without.join(', ')}.`];
      process.stdout.write(joinLines([`${bindings} has ${bound} ids now.`, ...rest]));
    });
};

export default configure;
