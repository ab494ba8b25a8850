import type { ConfigureCommand } from '../command.js';

export default ((command) => {
  command
    .description('write a target file, a sample .env, an ignore list and a workflow into this project')
    .action(async () => {
      const { initProject } = await import('../init-action.js');
      process.stdout.write(initProject(process.cwd()));
    });
}) satisfies ConfigureCommand;
