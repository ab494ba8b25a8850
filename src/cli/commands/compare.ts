import type { ConfigureCommand } from '../command.js';
import { exitStatus } from '../exit-status.js';

export default ((command, end) => {
  command
    .description('compare certificates: list the requirements and questions that differ')
    .argument('<certificate>', 'a certificate.json, or the folder of a run')
    .argument('<certificates...>', 'others, which are compared with the first')
    .option('--html <file>', 'also write a page that shows all of them side by side')
    .option('--markdown', 'print the differences for a pull request')
    .action(async (first: string, others: string[], flags: { html?: string; markdown?: true }) => {
      const { printComparison } = await import('../compare-action.js');
      end(printComparison([first, ...others], flags) ? exitStatus.drift : exitStatus.conforms);
    });
}) satisfies ConfigureCommand;
