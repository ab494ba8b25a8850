import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import {
  calibrationPurpose,
  type ExchangeUse,
  type RunEvidence,
  type StoredExchange,
} from '../engine/evidence-keeper.js';
import { createTemporaryFolder } from './run-folder.js';
import { unpackExchanges } from './test-report.js';

/** How many bytes of packed exchanges stay in memory; the rest goes to disk. */
const defaultMemoryBytes = 8 * 1024 * 1024;

/** Keeps the exchanges of a run until its end. */
export interface EvidenceStore {
  /** @param packed exchanges as a test attached them @param shard that they are from */
  add(packed: readonly Buffer[], uses: readonly ExchangeUse[], shard: number | undefined): void;
  isEmpty(): boolean;
  /** Everything. Each pass over the exchanges unpacks them bit by bit: together they may not fit into memory. */
  readAll(): RunEvidence;
  /** Removes what is on disk. */
  remove(): void;
}

export function createEvidenceStore(maxMemoryBytes = defaultMemoryBytes): EvidenceStore {
  const pieces: { readonly shard: number | undefined; read(): Buffer }[] = [];
  const uses: ExchangeUse[] = [];
  let bytes = 0;
  let overflow: OverflowFile | undefined;
  function* listExchanges(): Generator<StoredExchange> {
    const seen = new Set<string>();
    for (const { read, shard } of pieces)
      for (const kept of unpackExchanges(read())) {
        const id = addShard(kept.id, shard);
        // A worker that replaces another one attaches the same calibration again.
        if (!seen.has(id)) yield { ...kept, id };
        seen.add(id);
      }
  }
  return {
    add(packed, usesOfTest, shard) {
      for (const each of packed) {
        const fits = bytes + each.length <= maxMemoryBytes;
        if (fits) bytes += each.length;
        else overflow ??= createOverflowFile();
        pieces.push({ shard, read: (fits ? undefined : overflow?.append(each)) ?? (() => each) });
      }
      uses.push(...usesOfTest.map((use) => ({ ...use, id: addShard(use.id, shard) })));
    },
    isEmpty: () => pieces.length === 0,
    readAll: () => ({ exchanges: { [Symbol.iterator]: listExchanges }, uses }),
    remove: () => overflow?.remove(),
  };
}

/** Makes the id of a calibration exchange unique: each shard has a calibration of its own. */
function addShard(id: string, shard: number | undefined): string {
  return shard !== undefined && id.startsWith(`${calibrationPurpose}/`) ? `${id}/shard-${shard}` : id;
}

interface OverflowFile {
  /** @returns reads the content again; undefined if the disk is full */
  append(content: Buffer): (() => Buffer) | undefined;
  remove(): void;
}

function createOverflowFile(): OverflowFile {
  const folder = createTemporaryFolder();
  const file = openSync(path.join(folder, 'overflow'), 'wx+', 0o600);
  let end = 0;
  return {
    append(content) {
      const begin = end;
      try {
        if (writeSync(file, content, 0, content.length, begin) < content.length) return undefined;
      } catch {
        return undefined;
      }
      end += content.length;
      return () => {
        const again = Buffer.alloc(content.length);
        readSync(file, again, 0, again.length, begin);
        return again;
      };
    },
    remove() {
      closeSync(file);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
