import type { Command } from 'commander';

/**
 * A command: the default export of a file in `commands/`, named as the file is.
 *
 * @param end says with which status the command line ends; 0 unless it is called
 * @param behind how many of the arguments stand behind `--`, which commander takes away
 */
export type ConfigureCommand = (command: Command, end: (status: number) => void, behind: number) => void;
