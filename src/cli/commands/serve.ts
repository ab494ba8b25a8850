import { InvalidArgumentError, Option } from 'commander';
import type { ConfigureCommand } from '../command.js';
import { parsePort } from '../flags.js';
import type { ServeFlags } from '../serve-action.js';

const configure: ConfigureCommand = (command) => {
  command
    .description('starts the reference deployment')
    .addOption(new Option('--port <number>', 'a free one unless given').argParser(parsePort))
    .option('--world <file>', 'a world as JSON, as `conformance world` prints it; that of the suite unless given')
    .option('--as <record>', 'answers every open question as the record says, in the shape that it has recorded')
    .option('--behaviour <question=outcome>', 'answers an open question so; may be repeated', collectBehaviours)
    .option('--empty', 'has nothing in it')
    .option('--manage', 'lets the world be added to: POST /manage/customers and so on, see targets/')
    .option('--fault <id>', 'breaks a requirement on purpose; may be repeated', collectFaults)
    .action(async (flags: ServeFlags) => {
      const { runServe: serve } = await import('../serve-action.js');
      await serve(flags);
    });
};

export default configure;

type Behaviours = NonNullable<ServeFlags['behaviour']>;

function collectBehaviours(text: string, before: Behaviours = {}): Behaviours {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It has the form QUESTION=OUTCOME.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

function collectFaults(id: string, before: readonly string[] = []): string[] {
  return [...before, id];
}
