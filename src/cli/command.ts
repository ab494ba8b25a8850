import type { Command } from 'commander';

/**
 * Configures a command: the default export of a file in `commands/`. The name of the file is that of the command.
 *
 * @param end sets the exit status; 0 if it is not called
 * @param afterDashes the arguments after `--`
 */
export type ConfigureCommand = (
  command: Command,
  end: (status: number) => void,
  afterDashes: readonly string[],
) => void;
