import { asLines } from '../../support/foreign-text.js';
import { provision } from '../../targets/provision.js';
import type { ConfigureCommand } from '../command.js';
import { setVariables } from '../flags.js';

const configure: ConfigureCommand = (command) => {
  command
    .description('has the world created in a deployment by the command of its target file, and writes down the ids')
    .option('--target <file>', 'a target file (environment: TARGET)')
    .option('--base-url <url>', 'in place of that of the target file (environment: BASE_URL)')
    .action(async ({ target, baseUrl }: { target?: string; baseUrl?: string }) => {
      setVariables({ TARGET: target, BASE_URL: baseUrl });
      const { bindings, bound, without } = await provision(process.env);
      const rest = without.length === 0 ? [] : [`Without an id: ${without.join(', ')}.`];
      process.stdout.write(asLines([`${bindings} has ${bound} ids now.`, ...rest]));
    });
};

export default configure;
