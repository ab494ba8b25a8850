import type { RequirementCase } from '../cases/test-case.js';
import type { Exchange, HttpRequest } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import { collectEvidence, type TargetContext } from '../judge/judge-case.js';
import { readReturned } from '../recognition/returned-tiers.js';
import { renderShortList } from '../support/collections.js';
import { type CaseExchanges, type ResultWithExchanges, samplesCaseId } from './case-result.js';
import type { CaseSender } from './case-sender.js';
import type { EvidenceKeeper } from './evidence-keeper.js';

/** If the first requests get other results at the end of a run, and keep them, no result of the run proves anything. */
export async function watchData(
  requests: readonly HttpRequest[],
  sender: CaseSender,
  background: TargetContext,
  keeper: EvidenceKeeper | undefined,
): Promise<ResultWithExchanges> {
  const at = { file: '', line: 1, column: 1 };
  const rows = requests.map((request, n) => ({
    title: String(n + 1),
    requests: new Map([['request', request]]),
    given: [],
    expect: [],
    unavailable: [],
  }));
  const id = 'watched-data';
  const watched: RequirementCase = { kind: 'requirement', id, verifies: id, title: '', at, tags: [], rows };
  const listChanged = ({ exchanges }: CaseExchanges) => {
    const all = [...background.calibration, ...exchanges.flatMap((row) => [...row.values()])];
    const [evidence] = collectEvidence([new Map(all.map((exchange, n) => [String(n), exchange]))], background);
    const list = (exchange: Exchange | undefined): string[] | undefined => {
      if (exchange === undefined || evidence === undefined || !('response' in exchange)) return undefined;
      if (!isSuccessful(exchange.response)) return undefined;
      const { returned, unclear } = readReturned(exchange.response.body, evidence);
      return unclear.size > 0 ? undefined : [...returned].sort();
    };
    return requests.flatMap((_, n) => {
      const [before, after] = [list(background.calibration[n]), list(exchanges[n]?.get('request'))];
      if (before === undefined || after === undefined) return [];
      const tiers = [...before, ...after].filter((tier) => before.includes(tier) !== after.includes(tier));
      return tiers.length === 0 ? [] : [{ n, tiers, after: after.join('\n') }];
    });
  };
  const first = await sender.send(watched);
  const changed = listChanged(first);
  const changedRows = changed.map(({ n }) => n);
  const repetitions = changedRows.length > 0 ? [await sender.sendAlone(watched, changedRows, 1)] : [];
  keeper?.keepCase(watched, [first, ...repetitions], samplesCaseId);
  const again = repetitions.flatMap(listChanged);
  const lasting = changed.filter(({ n, after }) => again.some((change) => change.n === n && change.after === after));
  const names = [...new Set(lasting.flatMap(({ tiers }) => tiers))];
  const common = { id: samplesCaseId, subject: samplesCaseId, at, rows: [], drift: [] };
  if (names.length === 0) return { ...common, verdict: 'pass', reason: '' };
  const reason = `The data changed during the run: the same request returns other promotions at its end (${renderShortList(names)}). Run it again, while nobody changes promotions.`;
  return { ...common, verdict: 'inconclusive', reason, hasDataChanged: true };
}
