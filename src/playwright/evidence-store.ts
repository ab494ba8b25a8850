import { calibrationUse, type Evidence, type Use } from '../engine/evidence.js';
import { unpackedExchanges } from './attachment.js';
import { type SealedFile, sealedFile } from './run-state.js';

/** How many bytes of packed exchanges are kept in memory; what comes later goes to disk. */
const maxInMemory = 8 * 1024 * 1024;

/** Keeps the exchanges of a run until its end. */
export interface EvidenceStore {
  /** @param packed exchanges, as a test attached them @param shard which of the machines they are from */
  add(packed: readonly Buffer[], uses: readonly Use[], shard: number | undefined): void;
  isEmpty(): boolean;
  /** Everything, to be gone through once: unpacked bit by bit, as it may be more than fits into memory. */
  all(): Evidence;
  /** Removes what is on disk. */
  remove(): void;
}

/** @param maxBytes how many may be in memory */
export function evidenceStore(maxBytes = maxInMemory): EvidenceStore {
  const pieces: { readonly shard: number | undefined; read(): Buffer }[] = [];
  const uses: Use[] = [];
  let bytes = 0;
  let file: SealedFile | undefined;
  function* exchanges() {
    const seen = new Set<string>();
    for (const { read, shard } of pieces)
      for (const kept of unpackedExchanges(read())) {
        const id = idOfRun(kept.id, shard);
        // Workers that follow each other begin with the same calibration.
        if (!seen.has(id)) yield { ...kept, id };
        seen.add(id);
      }
  }
  return {
    add(packed, itsUses, shard) {
      for (const each of packed) {
        const isKept = bytes + each.length <= maxBytes;
        if (isKept) bytes += each.length;
        else file ??= sealedFile();
        const onDisk = isKept ? undefined : file?.add(each);
        pieces.push({ shard, read: onDisk ?? (() => each) });
      }
      uses.push(...itsUses.map((use) => ({ ...use, id: idOfRun(use.id, shard) })));
    },
    isEmpty: () => pieces.length === 0,
    all: () => ({ exchanges: exchanges(), uses }),
    remove: () => file?.remove(),
  };
}

/** The id of an exchange among those of all shards, each of which has a calibration of its own. */
function idOfRun(id: string, shard: number | undefined): string {
  return shard !== undefined && id.startsWith(`${calibrationUse}/`) ? `${id}/shard-${shard}` : id;
}
