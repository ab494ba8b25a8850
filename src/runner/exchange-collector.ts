import { createExchangeIndexer } from '../certificate/exchange-index.js';
import { createArchiver, type EvidenceOrigin } from '../certificate/har-archive.js';
import { createRecognizer } from '../recognition/recognizer.js';
import type { CaseResult } from '../run/case-result.js';
import type { ExchangeUse, RunEvidence } from '../run/evidence-keeper.js';
import { countAttempts } from '../run/request-cache.js';
import type { RunInputs } from '../target/recorded-run.js';

/** Archives and indexes the exchanges of a run as its tests end, while the next ones are sent. */
export class ExchangeCollector {
  private readonly archiver;
  private readonly indexer;
  private readonly seen = new Set<string>();
  private readonly uses: ExchangeUse[] = [];
  private requestsSent = 0;

  constructor({ suite, settings }: RunInputs, baseUrl: string) {
    this.archiver = createArchiver(baseUrl);
    this.indexer = createExchangeIndexer(createRecognizer(suite.world, settings.target.mentionFilter));
  }

  add({ exchanges, uses }: RunEvidence): void {
    for (const { id, exchange } of exchanges) {
      // A worker that replaces another one attaches the same calibration again.
      if (this.seen.has(id)) continue;
      this.seen.add(id);
      this.archiver.add({ id, exchange });
      this.indexer.add({ id, exchange });
      this.requestsSent += countAttempts([exchange]);
    }
    this.uses.push(...uses);
  }

  finish(results: readonly CaseResult[], origin: EvidenceOrigin) {
    const archive = this.archiver.finish(this.uses, origin);
    return { archive, index: this.indexer.finish(this.uses, results), requestsSent: this.requestsSent };
  }
}
