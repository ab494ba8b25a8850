import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** After so many characters of bodies the memory of those that were judged is taken back: more than a usual run has. */
const often = 4 * 1024 * 1024;

/**
 * Counts the characters of bodies that are read, and frees memory now and then. Left to itself the engine waits until
 * garbage is several times what is in use, which large bodies that nobody wants to keep make hundreds of megabytes.
 */
export function memoryKeeper(): (characters: number) => void {
  let read = 0;
  return (characters) => {
    read += characters;
    if (read < often) return;
    read = 0;
    collectGarbage();
  };
}
