import { Command } from 'commander';
import { commands } from '../../src/cli/commands.js';

/** The document with all commands and their options. */
export const commandsPage = 'docs/commands.md';

/** Renders the page from the descriptions that `--help` prints. */
export async function renderCommandsPage(): Promise<string> {
  const program = new Command('conformance');
  for (const [name, load] of commands) {
    const { default: configure } = await load();
    configure(program.command(name), () => {}, []);
  }
  const sections = program.commands.map(renderCommand);
  const introduction =
    'Each command explains itself with `--help`. `npm run update` writes this page from the same texts.';
  return `${['# Commands', introduction, ...sections].join('\n\n')}\n`;
}

function renderCommand(command: Command): string {
  const usage = `npx conformance ${command.name()} ${command.usage()}`.replace(' -- ', ' ');
  const rows = [
    ...command.options.filter(({ hidden }) => !hidden).map(({ flags, description }) => [flags, description] as const),
    ...command.registeredArguments
      .filter(({ description }) => description !== '')
      .map(
        (argument) => [argument.variadic ? `${argument.name()}...` : argument.name(), argument.description] as const,
      ),
  ].map(([flags, description]) => `| \`${flags}\` | ${escapeCell(description)} |`);
  const options = rows.length === 0 ? [] : ['', '| option | |', '|---|---|', ...rows];
  return [`## ${command.name()}`, '', capitalize(command.description()), '', '```text', usage, '```', ...options].join(
    '\n',
  );
}

const capitalize = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}.`.replaceAll('\n', ' ');
const escapeCell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
