import type { ConfigureCommand } from '../command.js';
import { exitStatus } from '../exit-status.js';

const configure: ConfigureCommand = (command, end) => {
  command
    .description('shows in which requirements and questions certificates differ')
    .argument('<certificate>', 'a certificate.json')
    .argument('<certificates...>', 'others, which are compared with the first')
    .option('--html <file>', 'writes all of them side by side as a page, too')
    .option('--markdown', 'prints the differences for a pull request')
    .action(async (first: string, others: string[], flags: { html?: string; markdown?: true }) => {
      const { printComparison: compare } = await import('../compare-action.js');
      end(compare([first, ...others], flags) ? exitStatus.drift : exitStatus.conforms);
    });
};

export default configure;
