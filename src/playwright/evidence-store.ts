import { calibrationPurpose, type ExchangeUse, type RunEvidence } from '../engine/evidence-keeper.js';
import { type SealedFile, sealedFile } from './run-state.js';
import { unpackExchanges } from './test-report.js';

/** How many bytes of packed exchanges are kept in memory; what comes later goes to disk. */
const maxInMemory = 8 * 1024 * 1024;

/** Keeps the exchanges of a run until its end. */
export interface EvidenceStore {
  /** @param packed exchanges, as a test attached them @param shard which of the machines they are from */
  add(packed: readonly Buffer[], uses: readonly ExchangeUse[], shard: number | undefined): void;
  isEmpty(): boolean;
  /** Returns everything. Each iteration unpacks the exchanges bit by bit, because they may not fit into memory. */
  readAll(): RunEvidence;
  /** Removes what is on disk. */
  remove(): void;
}

/** @param maxBytes how many may be in memory */
export function createEvidenceStore(maxBytes = maxInMemory): EvidenceStore {
  const pieces: { readonly shard: number | undefined; read(): Buffer }[] = [];
  const uses: ExchangeUse[] = [];
  let bytes = 0;
  let file: SealedFile | undefined;
  function* exchanges() {
    const seen = new Set<string>();
    for (const { read, shard } of pieces)
      for (const kept of unpackExchanges(read())) {
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
    readAll: () => ({ exchanges: { [Symbol.iterator]: exchanges }, uses }),
    remove: () => file?.remove(),
  };
}

/** The id of an exchange among those of all shards, each of which has a calibration of its own. */
function idOfRun(id: string, shard: number | undefined): string {
  return shard !== undefined && id.startsWith(`${calibrationPurpose}/`) ? `${id}/shard-${shard}` : id;
}
