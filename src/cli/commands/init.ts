import type { ConfigureCommand } from '../command.js';

const configure: ConfigureCommand = (command) => {
  command
    .description('writes a target file, an example of .env, an ignore list and a workflow into this project')
    .action(async () => {
      const { initProject: initialise } = await import('../init-action.js');
      process.stdout.write(initialise(process.cwd(), process.env));
    });
};

export default configure;
