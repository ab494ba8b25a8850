import type { ConfigureCommand } from './flags.js';

/** Loads the file of each command, in `commands/`. A command needs no other one: only `--help` loads all. */
export const commands: ReadonlyMap<string, () => Promise<{ readonly default: ConfigureCommand }>> = new Map([
  ['certify', () => import('./commands/certify.js')],
  ['compare', () => import('./commands/compare.js')],
  ['doctor', () => import('./commands/doctor.js')],
  ['explain', () => import('./commands/explain.js')],
  ['init', () => import('./commands/init.js')],
  ['list', () => import('./commands/list.js')],
  ['record', () => import('./commands/record.js')],
  ['serve', () => import('./commands/serve.js')],
  ['verify', () => import('./commands/verify.js')],
  ['world', () => import('./commands/world.js')],
]);
