import type { CaseResult } from '../engine/case-result.js';
import { calibrationPurpose, type ExchangeUse, type RunEvidence } from '../engine/evidence-keeper.js';
import { countAttempts } from '../engine/request-cache.js';
import type { Recognizer } from '../recognition/recognizer.js';
import { createExchangeIndexer, type ExchangeIndex } from '../report/exchange-index.js';
import { createArchiver, type EvidenceArchive, type EvidenceOrigin } from '../report/har-archive.js';

/** Archives and indexes the exchanges of a run as its tests end, while the next ones are sent. */
export interface ExchangeCollector {
  /** @param shard that the exchanges are from */
  add(evidence: RunEvidence, shard?: number): void;
  finish(results: readonly CaseResult[], origin: EvidenceOrigin): CollectedExchanges;
}

export interface CollectedExchanges {
  readonly archive: EvidenceArchive;
  readonly index: ExchangeIndex;
  readonly requestsSent: number;
}

export function createExchangeCollector(baseUrl: string, recognizer: Recognizer): ExchangeCollector {
  const archiver = createArchiver(baseUrl);
  const indexer = createExchangeIndexer(recognizer);
  const seen = new Set<string>();
  const allUses: ExchangeUse[] = [];
  let requestsSent = 0;
  return {
    add({ exchanges, uses }, shard) {
      for (const { id: plainId, exchange } of exchanges) {
        const id = addShard(plainId, shard);
        // A worker that replaces another one attaches the same calibration again.
        if (seen.has(id)) continue;
        seen.add(id);
        archiver.add({ id, exchange });
        indexer.add({ id, exchange });
        requestsSent += countAttempts([exchange]);
      }
      allUses.push(...uses.map((use) => ({ ...use, id: addShard(use.id, shard) })));
    },
    finish: (results, origin) => ({
      archive: archiver.finish(allUses, origin),
      index: indexer.finish(allUses, results),
      requestsSent,
    }),
  };
}

/** Makes the id of a calibration exchange unique: each shard has a calibration of its own. */
function addShard(id: string, shard: number | undefined): string {
  return shard !== undefined && id.startsWith(`${calibrationPurpose}/`) ? `${id}/shard-${shard}` : id;
}
