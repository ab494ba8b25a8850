import path from 'node:path';
import { selectCases } from '../cases/case-selection.js';
import type { CertifiedResults } from '../certificate/certify-results.js';
import { createExchangeIndexer } from '../certificate/exchange-index.js';
import { createArchiver, type EvidenceOrigin } from '../certificate/har-archive.js';
import { findWorstVerdict } from '../judge/verdict.js';
import type { WrittenResults } from '../outputs/write-results.js';
import { createRecognizer } from '../recognition/recognizer.js';
import { type CaseResult, createUnsentResult, notReachedReason, samplesCaseId } from '../run/case-result.js';
import { calibrationPurpose, type ExchangeUse, findFreeName } from '../run/evidence-keeper.js';
import { countAttempts } from '../run/request-cache.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { UnusableInput } from '../support/problem.js';
import type { RunOutcome } from './ending.js';
import { parseRecordedRun, type RunInputs, recordInputs, restoreInputs } from './recorded-run.js';
import type { RunStart, TestReport } from './target-run.js';

/** Why no verdict of a run is valid. */
interface Obstacle {
  readonly reason: string;
  /** Whether the input is unusable, not the target. */
  readonly isUnusable: boolean;
}

/** A certified run. */
export interface CertifiedRun extends CertifiedResults {
  readonly written: WrittenResults;
  /** What the run prints at its end. */
  readonly report: string;
  readonly ending: RunOutcome;
}

/** What only the end of a run needs. It is loaded while the tests run, so that they start earlier. */
async function loadEnding() {
  const { certifyCollected, judgeRecorded } = await import('./certify-run.js');
  const { writeResults } = await import('../outputs/write-results.js');
  const { appendJobSummary } = await import('../outputs/files/summary.md.js');
  const { renderRunReport } = await import('../outputs/terminal/run-report.js');
  return { certifyCollected, judgeRecorded, writeResults, appendJobSummary, renderRunReport };
}

type CollectorState = ReturnType<typeof createCollector>;

/** Collects the reports of one run, from one or several processes, and certifies them. */
export class ReportedRun {
  private readonly startedAt = new Date();
  private readonly results = new Map<string, CaseResult>();
  /** The ids of the results with a report: they were judged. */
  private readonly judged = new Set<string>();
  private readonly uses = new Map<string, readonly ExchangeUse[]>();
  private start: RunStart | undefined;
  private failure: UnusableInput | undefined;
  private created: CollectorState | undefined;
  private readonly ending = loadEnding();

  /**
   * @param selected the ids of the cases that were to be run
   * @param known the inputs; those of another machine come with its reports
   * @param reference the base URL of the reference deployment
   */
  constructor(
    readonly selected: ReadonlySet<string>,
    private known: RunInputs | undefined,
    private readonly reference: string,
  ) {}

  private get inputs(): RunInputs {
    this.known ??= restoreInputs(this.start ?? fail());
    return this.known;
  }

  private get collector(): CollectorState {
    this.created ??= createCollector(this.inputs, this.baseUrl);
    return this.created;
  }

  add(report: TestReport, isCounted: boolean): void {
    const { worker, start, result, exchanges, uses, failure } = report;
    const isFirst = this.start === undefined;
    this.start ??= start;
    if (failure !== undefined) this.failure ??= new UnusableInput(failure);
    const known = this.collector.add(worker, exchanges, uses);
    const ofCalibration = ({ case: purpose }: ExchangeUse) => purpose === calibrationPurpose;
    if (isFirst) this.uses.set(calibrationPurpose, known.filter(ofCalibration));
    const before = this.results.get(result.id);
    // A test that ran several times counts with its worst verdict.
    const isWorst = before === undefined || findWorstVerdict([before.verdict, result.verdict]) !== before.verdict;
    if (!isCounted || !isWorst) return;
    this.results.set(result.id, this.collector.nameExchanges(worker, result));
    this.uses.set(
      result.id,
      known.filter((use) => !ofCalibration(use)),
    );
    this.judged.add(result.id);
  }

  /** @param problem why a test ended without a report */
  addError(id: string, problem: string): void {
    const testCase = this.inputs.suite.cases.find((candidate) => candidate.id === id);
    if (testCase !== undefined) this.results.set(id, createUnsentResult(testCase, 'error', problem));
  }

  private get baseUrl(): string {
    if (this.start !== undefined) return this.start.target.base_url;
    return this.inputs.connection?.endpoint?.baseUrl ?? this.reference;
  }

  /**
   * Certifies what was reported, and writes the results.
   *
   * @param isCutShort whether the run ended before its last test
   * @param error why it ended before its first one
   */
  async certify(isCutShort: boolean, error: string | undefined): Promise<CertifiedRun> {
    const { baseUrl, start, inputs } = this;
    const { suite, settings, replay } = inputs;
    const obstacle = this.findObstacle(isCutShort, error);
    const plain = this.listResults(obstacle);
    // If the target cannot be reached, the examination judges all cases.
    const isJudged = ({ id }: CaseResult) => (obstacle === undefined ? this.judged.has(id) : !obstacle.isUnusable);
    const isReplay = start?.isReplay ?? replay !== undefined;
    const { name, version, digest } = suite;
    const { archive, index, requestsSent } = this.collector.finish([...this.uses.values()].flat(), {
      suite: { name, version, digest },
      baseUrl,
      ...(isReplay ? { isReplay: true as const } : {}),
      inputs: recordInputs(inputs),
      extent: {
        isCutShort,
        judged: plain.filter(isJudged).map(({ id }) => id),
        unjudged: plain
          .filter((result) => !isJudged(result))
          .map(({ id, verdict, reason }) => ({ id, verdict, reason })),
      },
    });
    const { certifyCollected, judgeRecorded, writeResults, appendJobSummary, renderRunReport } = await this.ending;
    const certified = await certifyCollected(inputs, plain, index, {
      baseUrl,
      examination: start?.examination,
      requestsSent,
      isReplay,
      isCutShort,
      startedAt: this.startedAt,
      ...omitUndefined({ data: start === undefined ? suite.data : start.data }),
      judgeAgain: async (current) => {
        const recorded = parseRecordedRun(archive.content, 'evidence.har');
        return (await judgeRecorded(recorded, suite, current)).results;
      },
    });
    const destination = { ...settings.destination, target: settings.target };
    const { certificate, results, newDeviations } = certified;
    const written = writeResults(certificate, suite, results, destination, archive, newDeviations);
    const unwritten = appendJobSummary(written.files, process.env.GITHUB_STEP_SUMMARY);
    const report = `${unwritten}${renderRunReport(certificate, written)}`;
    const ending: RunOutcome = {
      ...certificate,
      folder: path.dirname(written.certificate),
      isRecorded: written.record !== undefined && written.record.unwritten === undefined,
      isUnusable: obstacle?.isUnusable === true,
    };
    return { ...certified, written, report, ending };
  }

  /** Finds out why no verdict of the run is valid, if so. */
  private findObstacle(isCutShort: boolean, error: string | undefined): Obstacle | undefined {
    if (this.failure !== undefined) {
      process.stderr.write(`${this.failure.message}\n`);
      return { reason: this.failure.message.split('\n')[0] ?? '', isUnusable: true };
    }
    const { unreachable } = this.start?.examination ?? {};
    if (unreachable !== undefined) return { reason: unreachable, isUnusable: false };
    if (this.selected.size > 0 || isCutShort) return undefined;
    return { reason: error ?? 'Playwright found no test.', isUnusable: true };
  }

  /** Lists all results in the order of the suite, including those of cases that no test reached. */
  private listResults(obstacle: Obstacle | undefined): CaseResult[] {
    const { suite, settings } = this.inputs;
    const cases = selectCases(suite, settings);
    if (obstacle !== undefined)
      return cases.map((testCase) => createUnsentResult(testCase, 'inconclusive', obstacle.reason));
    const ofCases = cases.flatMap((testCase) => {
      const result = this.results.get(testCase.id);
      if (result !== undefined) return [result];
      const isSelected = this.selected.size === 0 || this.selected.has(testCase.id);
      return isSelected ? [createUnsentResult(testCase, 'not-run', notReachedReason)] : [];
    });
    const ofSamples = this.results.get(samplesCaseId);
    return ofSamples === undefined ? ofCases : [...ofCases, ofSamples];
  }
}

function fail(): never {
  throw new Error('A report of this project has no beginning: merge the reports of all shards.');
}

/** Archives and indexes the exchanges of a run as its tests end, while the next ones are sent. */
function createCollector({ suite, settings }: RunInputs, baseUrl: string) {
  const archiver = createArchiver(baseUrl);
  const indexer = createExchangeIndexer(createRecognizer(suite.world, settings.target.mentionFilter));
  const taken = new Set<string>();
  /** Ids in the archive, by the id of the worker and its own id. */
  const names = new Map<string, string>();
  let requestsSent = 0;
  const findName = (worker: string, id: string) => names.get(`${worker}/${id}`) ?? id;
  return {
    /** @returns the uses, with the ids of the archive */
    add(worker: string, exchanges: TestReport['exchanges'], uses: readonly ExchangeUse[]): ExchangeUse[] {
      for (const { id: inWorker, exchange } of exchanges) {
        const id = findFreeName(inWorker, taken);
        taken.add(id);
        names.set(`${worker}/${inWorker}`, id);
        archiver.add({ id, exchange });
        indexer.add({ id, exchange });
        requestsSent += countAttempts([exchange]);
      }
      return uses.map((use) => ({ ...use, id: findName(worker, use.id) }));
    },
    /** Replaces the ids of the worker in a result. */
    nameExchanges(worker: string, result: CaseResult): CaseResult {
      const name = (id: string | undefined) => id && findName(worker, id);
      const { exchangeId, repeatedExchangeId } = result;
      return {
        ...result,
        ...omitUndefined({ exchangeId: name(exchangeId), repeatedExchangeId: name(repeatedExchangeId) }),
      };
    },
    finish(uses: readonly ExchangeUse[], origin: EvidenceOrigin) {
      return { archive: archiver.finish(uses, origin), index: indexer.finish(uses), requestsSent };
    },
  };
}
