/**
 * Asks a deployment about one symptom. In: requests. Out: whether each has the symptom. It is pure: a generator yields each
 * request that is to be sent, and gets its exchange (see `narrow-failures.ts`, which sends).
 */

import { type Exchange, type HttpRequest, serializeRequest } from '../http/exchange.js';
import type { TargetContext } from '../judge/collect-row-evidence.js';
import { isNoMoreForbidden } from './obstacles.js';
import { type Correctness, judgeSymptom, type Symptom, wouldSymptomBeWrong } from './symptom.js';

/** Steps that may send requests on the way to a value. The requests that are yielded together are sent at the same time. */
export type RequestGenerator<Value> = Generator<readonly HttpRequest[], Value, readonly Exchange[]>;

/** The number of requests that may still be sent. */
export interface RequestAllowance {
  left: number;
}

/** A wrong request that others are compared with. */
interface RequestComparison {
  readonly with: HttpRequest;
  readonly mayLackRules: boolean;
}

export class SymptomInquiry {
  readonly #exchanges: Map<string, Exchange>;

  /** @param comparison what other requests are compared with, if they may not be worth asking beside it */
  constructor(
    readonly symptom: Symptom,
    readonly target: TargetContext,
    readonly allowance: RequestAllowance,
    readonly comparison?: RequestComparison,
    exchanges = new Map<string, Exchange>(),
  ) {
    this.#exchanges = exchanges;
  }

  /** Whether the documentation says of a request that the symptom is wrong, for no more reasons than before. */
  isWorthAsking(request: HttpRequest): boolean {
    const { symptom, comparison } = this;
    const { world } = this.target;
    if (!wouldSymptomBeWrong(symptom, request, world)) return false;
    if (symptom.kind !== 'extra' || comparison === undefined) return true;
    return isNoMoreForbidden(symptom.tier, [request, comparison.with], world, comparison.mayLackRules);
  }

  /** Lets other requests meet fewer rules: which rules are enough is said if nothing else makes a difference. */
  allowUnmetRules(): SymptomInquiry {
    const { symptom, target, allowance, comparison } = this;
    const relaxed = comparison && { ...comparison, mayLackRules: true };
    return new SymptomInquiry(symptom, target, allowance, relaxed, this.#exchanges);
  }

  /** Sends a request, once. `unclear` if the symptom would not be wrong, or if no more requests may be sent. */
  *ask(request: HttpRequest): RequestGenerator<Correctness> {
    if (!this.isWorthAsking(request)) return 'unclear';
    const exchange = yield* this.send(request);
    return exchange === undefined ? 'unclear' : judgeSymptom(this.symptom, exchange, this.target);
  }

  /** Sends a request, once. Undefined if no more requests may be sent. */
  *send(request: HttpRequest): RequestGenerator<Exchange | undefined> {
    const key = serializeRequest(request);
    const known = this.#exchanges.get(key);
    if (known !== undefined) return known;
    if (this.allowance.left <= 0) return undefined;
    this.allowance.left -= 1;
    const [exchange] = yield [request];
    if (exchange !== undefined) this.#exchanges.set(key, exchange);
    return exchange;
  }

  /** Sends requests at the same time, none of which was sent before. Nothing is sent if not all of them may be. */
  *sendTogether(requests: readonly HttpRequest[]): RequestGenerator<readonly Exchange[]> {
    if (this.allowance.left < requests.length) return [];
    this.allowance.left -= requests.length;
    const exchanges = yield requests;
    for (const exchange of exchanges) this.#exchanges.set(serializeRequest(exchange.request), exchange);
    return exchanges;
  }

  /** The exchange of a request that was sent. */
  getExchange(request: HttpRequest): Exchange | undefined {
    return this.#exchanges.get(serializeRequest(request));
  }
}
