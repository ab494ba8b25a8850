import { joinLines } from '../../support/untrusted-text.js';
import { provisionWorld } from '../../targets/provision-world.js';
import { completeRunOptions, type RunOptions } from '../../targets/run-options.js';
import type { ConfigureCommand } from '../command.js';

type ProvisionFlags = Pick<RunOptions, 'target' | 'baseUrl' | 'cases'> & { readonly reuse?: boolean };

export default ((command) => {
  command
    .description('create the test data in a deployment, with the command of its target file, and write down the ids')
    .option('--target <file>', 'a target file (environment: TARGET)')
    .option('--base-url <url>', 'replaces the base_url of the target file (environment: BASE_URL)')
    .option('--cases <folder>', 'also create the data that your own cases need')
    .option('--reuse', 'keep everything that has an id already, and create the rest')
    .action(async ({ reuse = false, ...options }: ProvisionFlags) => {
      const completed = completeRunOptions(options, process.env);
      process.stdout.write(joinLines(await provisionWorld(completed, process.env, reuse)));
    });
}) satisfies ConfigureCommand;
