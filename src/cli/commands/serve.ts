import { InvalidArgumentError, Option } from 'commander';
import type { ConfigureCommand } from '../command.js';
import { collectValue } from '../flags.js';
import type { ServeFlags } from '../serve-action.js';

export default ((command) => {
  command
    .description('start the reference deployment')
    .addOption(new Option('--port <number>', 'default: a free one').argParser(parsePort))
    .option('--world <file>', 'a world in the format of `conformance world` (default: that of the suite)')
    .option('--as <record>', 'a mock: answer every open question as a record says, in the recorded format')
    .option(
      '--behaviour <question=outcome>',
      'answer an open question with this outcome; may be repeated',
      collectBehaviours,
    )
    .option('--manage', 'accept new data: POST /manage/customers and so on, see targets/')
    .option('--fault <id>', 'break a requirement on purpose; may be repeated', collectValue)
    .action(async (flags: ServeFlags) => {
      const { runServe } = await import('../serve-action.js');
      await runServe(flags);
    });
}) satisfies ConfigureCommand;

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return port;
}

type Behaviours = NonNullable<ServeFlags['behaviour']>;

function collectBehaviours(text: string, before: Behaviours = {}): Behaviours {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Write it as QUESTION=OUTCOME.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}
