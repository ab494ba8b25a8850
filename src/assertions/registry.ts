import { readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createOracle } from '../contract/oracle.js';
import type { World } from '../contract/world.js';
import type { Exchange } from '../http/exchange.js';
import { readReturned } from '../recognition/returned-tiers.js';
import { createReason, type Reason, renderReason } from '../support/reason.js';
import {
  type Assertion,
  type AssertionKind,
  type AssertionResult,
  combineAll,
  combineAny,
  type ResponseKind,
  unclear,
} from './assertion.js';
import { nameTiers } from './judge-result.js';
import { findAnsweredExchange, type JudgeMode, listSuccesses, type RowEvidence } from './row-evidence.js';

const folder = path.join(import.meta.dirname, 'kinds');
// Compiled files have source maps and declarations beside them.
const files = readdirSync(folder).filter((file) => /(?<!\.d)\.[jt]s$/.test(file));
const modules: { readonly default: AssertionKind }[] = await Promise.all(
  files.sort().map((file) => import(pathToFileURL(path.join(folder, file)).href)),
);

export const assertionKinds: ReadonlyMap<string, AssertionKind> = new Map(
  modules.map(({ default: kind }) => [kind.key, kind]),
);

/** Finds the kind of an assertion about a response. The reader of case files accepts known kinds only. */
export function findResponseKind({ kind }: Pick<Assertion, 'kind'>): ResponseKind {
  return assertionKinds.get(kind) as ResponseKind;
}

export function describeAssertion(assertion: Assertion, world: World): string {
  if ('lists' in assertion) {
    const texts = assertion.lists.map((list) => list.map((part) => describeAssertion(part, world)).join(' and '));
    return texts.join(', or ');
  }
  const words = findResponseKind(assertion).describe(assertion.data, (ids) => renderReason(nameTiers(ids, world)));
  return `'${assertion.of}' ${words}`;
}

export function judgeAssertion(assertion: Assertion, evidence: RowEvidence, mode: JudgeMode): AssertionResult {
  if ('lists' in assertion) return combineAny(assertion.lists.map((list) => judgeAssertions(list, evidence, mode)));
  const { of: shownBy, kind, data } = assertion;
  const exchange = findAnsweredExchange(shownBy, evidence, mode);
  if ('reason' in exchange) {
    const isAboutAcceptance = mode === 'requirement' && kind === 'status';
    const lost = isAboutAcceptance ? explainLostResponse(shownBy, evidence) : undefined;
    return { is: lost === undefined ? 'unclear' : 'violated', reason: lost ?? exchange.reason, shownBy };
  }
  const result = findResponseKind(assertion).judge(data, {
    exchange,
    evidence,
    mode,
    compareWith(name, judge) {
      const compared = findAnsweredExchange(name, evidence, mode);
      return 'reason' in compared ? unclear('of-request', { name, reason: compared.reason }) : judge(compared);
    },
  });
  return result.is === 'holds' ? result : { shownBy, ...result };
}

export function judgeAssertions(assertions: readonly Assertion[], evidence: RowEvidence, mode: JudgeMode) {
  return combineAll(assertions.map((assertion) => judgeAssertion(assertion, evidence, mode)));
}

/** A connection that breaks at random rarely spares as many responses, three times. */
const minArrived = 4;
/** In characters of path, query and body. A longer request may be what the deployment does not take. */
const maxRequest = 4096;

/**
 * A broken connection proves nothing, unless it breaks for the longest responses and for no other. Sizes are compared by the
 * number of promotions: what does not arrive has no length.
 */
function explainLostResponse(name: string, evidence: RowEvidence): Reason | undefined {
  const { world, exchanges, calibration } = evidence;
  const lost = exchanges.get(name);
  if (lost === undefined || !('transportError' in lost)) return undefined;
  const { path: sentPath, body = '' } = lost.request;
  const isCutShort = ['broken-connection', 'unreadable'].includes(lost.transportError);
  if (!isCutShort || sentPath.length + body.length > maxRequest) return undefined;
  const countRequired = ({ request }: Exchange): number => {
    const { accepted, returned } = createOracle(request, world);
    return accepted ? world.tiers.filter((tier) => returned(tier) === 'required').length : 0;
  };
  const countReturned = (all: readonly Exchange[]): number[] =>
    listSuccesses(all).map(({ response }) => readReturned(response.body, evidence).returned.length);
  const all = [...exchanges.values(), ...calibration];
  const longest = Math.max(0, ...countReturned(all));
  const shortestLost = Math.min(...all.filter((exchange) => 'transportError' in exchange).map(countRequired));
  const arrived = countReturned([...exchanges.values()]).filter((count) => count > 0);
  if (arrived.length < minArrived || longest >= shortestLost) return undefined;
  return createReason('long-responses-lost', { required: countRequired(lost), longest });
}
