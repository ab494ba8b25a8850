import type { Check } from './case.js';
import type { Location, Problem } from './problem.js';
import type { Promised, Standing } from './promise.js';
import type { Tier, World } from './world-types.js';

/** What a row of a requirement case claims, and what the documentation promises for its requests. */
export interface ClaimedRow {
  readonly title: string;
  readonly at: Location;
  readonly given: readonly Check[];
  readonly expect: readonly Check[];
  readonly promises: ReadonlyMap<string, Promised>;
}

/**
 * Why a row of a requirement case would judge unsoundly, or would pass on nothing: each of its expectations must follow
 * from what the documentation promises, and each negative one must come with its positive control.
 */
export function requirementProblems({ title, at, given, expect, promises }: ClaimedRow, world: World): Problem[] {
  const inRow = title === '' ? '' : ` (row '${title}')`;
  const tiers = new Map(world.tiers.map((tier) => [tier.id, tier]));
  const problems: Problem[] = [];
  const refuse = (check: Check, message: string, mend: string) =>
    problems.push({ at: check.at, message: `${message}${inRow}`, mend });
  const positives = [...given, ...expect].filter(isPositive);

  for (const check of expect) {
    if (check.claim === 'any-of') {
      refuse(check, 'a requirement has one answer, so any-of cannot be expected', 'Ask a question instead.');
      continue;
    }
    const promised = promises.get(check.of) as Promised;
    const because = promised.because === undefined ? '' : `: ${promised.because}`;
    const unpromised = (ids: Iterable<string>, wanted: Standing) => {
      const wrong = [...ids].map((id) => tiers.get(id) as Tier).find((tier) => promised.returned(tier) !== wanted);
      return wrong === undefined ? undefined : `'${wrong.name}'`;
    };
    const nothingPromised = !world.tiers.some((tier) => promised.returned(tier) === 'yes');
    switch (check.claim) {
      case 'status': {
        const nothingToReturn = promised.because === undefined && nothingPromised;
        if (!promised.accepted)
          refuse(
            check,
            `the documentation does not promise that this is accepted${because}`,
            'Ask a question instead.',
          );
        else if (nothingToReturn)
          refuse(
            check,
            'nothing is valid for this request, and an empty result may have any status',
            'Send one for which something is.',
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
        const other = promises.get(check.other) as Promised;
        const differ = world.tiers.some((tier) => isOpposite(promised.returned(tier), other.returned(tier)));
        if (!differ)
          refuse(
            check,
            `the documentation does not promise that '${check.of}' and '${check.other}' differ${because}`,
            'Vary the requests more.',
          );
        break;
      }
      default:
        refuse(
          check,
          `the documentation promises nothing about '${check.claim}'`,
          'Expect status, or what is returned: include, exclude, exactly, differs-from.',
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
  if (expect.length === 0) problems.push({ at, message: `the case expects nothing${inRow}`, mend: "Add 'expect:'." });
  return problems;
}

function isPositive(check: Check): boolean {
  return check.claim === 'include' || check.claim === 'something' || (check.claim === 'exactly' && check.must.size > 0);
}

function isNegative(check: Check): boolean {
  return check.claim === 'exclude' || (check.claim === 'exactly' && check.must.size === 0);
}

function isOpposite(one: Standing, other: Standing): boolean {
  return (one === 'yes' && other === 'no') || (one === 'no' && other === 'yes');
}
