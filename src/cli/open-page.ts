import { spawn } from 'node:child_process';
import path from 'node:path';

/** The commands that open a file in the browser of the user. */
const openCommands: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', win32: 'explorer.exe' };

/** Opens a file in the browser, and does not wait for it. Does nothing where there is none. */
export function openPage(file: string): void {
  const command = openCommands[process.platform] ?? 'xdg-open';
  spawn(command, [path.resolve(file)], { detached: true, stdio: 'ignore' })
    .on('error', () => undefined)
    .unref();
}
