import type { Obligation, Oracle } from '../contract/oracle.js';
import type { HttpRequest } from '../http/exchange.js';
import { contentOf } from '../http/request-content.js';
import type { Location, Problem } from '../support/problem.js';
import type { Tier, World } from '../world/world.js';
import { windowSize } from '../world/world-file.js';
import type { Check } from './case.js';

/** One named request of a row, with what the documentation promises for it. */
export interface Asking {
  readonly http: HttpRequest;
  readonly promised: Oracle;
}

/** What a row of a requirement case claims, and of which requests. */
export interface ClaimedRow {
  readonly title: string;
  readonly at: Location;
  readonly given: readonly Check[];
  readonly expect: readonly Check[];
  readonly asking: ReadonlyMap<string, Asking>;
}

/**
 * Why a row of a requirement case would judge unsoundly, or would pass on nothing: each of its expectations must follow
 * from what the documentation promises, and each negative one must come with its positive control.
 */
export function requirementProblems({ title, at, given, expect, asking }: ClaimedRow, world: World): Problem[] {
  const inRow = title === '' ? '' : ` (row '${title}')`;
  const tiers = new Map(world.tiers.map((tier) => [tier.id, tier]));
  const problems: Problem[] = [];
  const refuse = (check: Check, message: string, hint: string) =>
    problems.push({ at: check.at, message: `${message}${inRow}`, hint });
  const positives = [...given, ...expect].filter(isPositive);

  for (const check of expect) {
    if (check.claim === 'any-of') {
      refuse(check, 'a requirement has one answer, so any-of cannot be expected', 'Ask a question instead.');
      continue;
    }
    const { http, promised } = asking.get(check.of) as Asking;
    const because = promised.because === undefined ? '' : `: ${promised.because}`;
    const unpromised = (ids: Iterable<string>, wanted: Obligation) => {
      const wrong = [...ids].map((id) => tiers.get(id) as Tier).find((tier) => promised.returned(tier) !== wanted);
      return wrong === undefined ? undefined : `'${wrong.name}'`;
    };
    const nothingPromised = !world.tiers.some((tier) => promised.returned(tier) === 'yes');
    switch (check.claim) {
      case 'status': {
        if (!promised.accepted)
          refuse(
            check,
            `the documentation does not promise that this is accepted${because}`,
            'Ask a question instead.',
          );
        else if (nothingPromised)
          refuse(
            check,
            `nothing is promised to be valid for this request, and an empty result may have any status${because}`,
            "Send one for which something is, or say 'accepted: { unless-as: … }'.",
          );
        if (check.patterns.join() !== '2xx') refuse(check, 'the documentation names no status code', "Expect '2xx'.");
        break;
      }
      case 'include': {
        const wrong = unpromised(check.tiers, 'yes');
        if (wrong !== undefined)
          refuse(
            check,
            `the documentation does not promise that ${wrong} is returned${because}`,
            'Expect what is promised.',
          );
        break;
      }
      case 'exclude': {
        const wrong = unpromised(check.tiers, 'no');
        if (wrong !== undefined)
          refuse(
            check,
            `the documentation does not promise that ${wrong} is not returned${because}`,
            'Expect what is promised.',
          );
        break;
      }
      case 'exactly': {
        const out = world.tiers.map(({ id }) => id).filter((id) => !check.must.has(id) && !check.may.has(id));
        const wrong = unpromised(check.must, 'yes') ?? unpromised(out, 'no');
        if (wrong !== undefined)
          refuse(
            check,
            `the documentation does not promise what is expected of ${wrong}${because}`,
            "Say 'exactly: promised'.",
          );
        break;
      }
      case 'differs-from': {
        const { promised: other } = asking.get(check.other) as Asking;
        const differ = world.tiers.some((tier) => isOpposite(promised.returned(tier), other.returned(tier)));
        if (!differ)
          refuse(
            check,
            `the documentation does not promise that '${check.of}' and '${check.other}' differ${because}`,
            'Vary the requests more.',
          );
        break;
      }
      case 'accepted': {
        if (!promised.accepted)
          refuse(
            check,
            `the documentation does not promise that this is accepted${because}`,
            'Ask a question instead.',
          );
        const { unless } = check;
        if (unless.is === 'empty') break;
        const other = asking.get(unless.other) as Asking;
        if (unless.is === 'as-is' && !(other.promised.accepted && addsTo(http, other.http)))
          refuse(
            check,
            `'${check.of}' does not hold all that '${unless.other}' says, so it may return nothing where that does`,
            "Let it add and take nothing away, or say 'accepted: unless-empty'.",
          );
        if (unless.is === 'as-empty' && world.tiers.some((tier) => other.promised.returned(tier) !== 'no'))
          refuse(
            check,
            `something may be valid for '${unless.other}', so it does not show how an empty result looks`,
            'Name a request for which nothing is.',
          );
        break;
      }
      case 'found-at-most':
        if (promised.because !== undefined || isNarrowed(http) || check.count < windowSize)
          refuse(
            check,
            `the documentation does not promise that no more than ${check.count} are returned${because}`,
            `Expect ${windowSize} of a request without filters.`,
          );
        break;
      case 'found-within': {
        const { http: wider, promised: other } = asking.get(check.other) as Asking;
        const isNarrower = !isNarrowed(wider) && isNarrowed(http) && http.body === wider.body;
        if (promised.because !== undefined || other.because !== undefined || !isNarrower)
          refuse(
            check,
            `the documentation does not promise that '${check.of}' returns a part of '${check.other}'${because}`,
            'Let them differ in a filter alone.',
          );
        break;
      }
      default:
        refuse(
          check,
          `the documentation promises nothing about '${check.claim}'`,
          'Expect status, accepted, found, or what is returned: include, exclude, exactly, differs-from.',
        );
    }
    if (
      isNegative(check) &&
      !positives.some((control) => nothingPromised || ('of' in control && control.of === check.of))
    ) {
      refuse(
        check,
        'a negative expectation needs its positive control, since an empty answer would satisfy it',
        nothingPromised
          ? "Add 'given:' with 'returned: { include: … }' of a request that returns something."
          : "Add 'returned: { include: … }' of the same request.",
      );
    }
  }
  if (expect.length === 0) problems.push({ at, message: `the case expects nothing${inRow}`, hint: "Add 'expect:'." });
  return problems;
}

function isPositive(check: Check): boolean {
  return check.claim === 'include' || check.claim === 'something' || (check.claim === 'exactly' && check.must.size > 0);
}

function isNegative(check: Check): boolean {
  return check.claim === 'exclude' || (check.claim === 'exactly' && check.must.size === 0);
}

function isOpposite(one: Obligation, other: Obligation): boolean {
  return (one === 'yes' && other === 'no') || (one === 'no' && other === 'yes');
}

/** Whether a request has a query: filters, or what else may take promotions away. */
function isNarrowed({ path }: HttpRequest): boolean {
  return path.includes('?');
}

/** Whether a request says all that another one says: rules ask for what is there, so adding takes nothing away. */
function addsTo(request: HttpRequest, other: HttpRequest): boolean {
  return request.path === other.path && holdsAll(contentOf(request).body, contentOf(other).body);
}

function holdsAll(more: unknown, less: unknown): boolean {
  if (Array.isArray(more) && Array.isArray(less)) {
    const left = [...more];
    return less.every((part) => {
      const at = left.findIndex((other) => holdsAll(other, part));
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    });
  }
  if (isObject(more) && isObject(less)) {
    return Object.entries(less).every(([key, part]) => Object.hasOwn(more, key) && holdsAll(more[key], part));
  }
  return more === less;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
