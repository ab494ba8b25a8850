import { expect } from '@playwright/test';
import { parse } from 'yaml';
import type { Change } from '../../reference/deployment/handlers.js';
import type { RunVerdict } from '../../src/certificate/run-verdict.js';
import type { TargetDocument } from '../../src/config/target-file.js';
import { type EntityKind, type TargetWorld, type Tier, worldListNames } from '../../src/contract/world.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { createMentionFilter } from '../../src/recognition/sibling-values.js';
import type { StartRunOptions } from '../../src/run/run.js';
import { loadSuite, packageCasesFolder, type Suite } from '../../src/suite/suite.js';
import {
  type Answer,
  certifyInProcess,
  createBindings,
  type InProcessRun,
  listRequirementsWith,
  renderUnpassed,
  suite as wholeSuite,
} from './in-process.js';
import type { Shape } from './independent-deployment.js';
import { listReasons } from './reasons.js';

/** Creates a deployment. @param world what the target has of it; with a fault, some of its tiers are wrong */
export type Deploy = (world: TargetWorld) => Answer;

/** A deployment, and what the suite must find. */
export interface DeploymentRow extends Statement {
  readonly title: string;
  readonly deploy: Deploy;
  readonly verdict: RunVerdict;
}

export interface Statement {
  /** Lines of the target file. */
  readonly target?: string | undefined;
  /** All requirements that fail. By default none, unless the verdict is `does-not-conform`. */
  readonly failing?: readonly string[];
  /** The number of requirements that pass. */
  readonly passing?: number;
  /** What the run says: the reasons of the verdict, then a line for each case that does not pass. */
  readonly says?: string | RegExp | readonly RegExp[] | undefined;
  /** Matches the reason of a case that does not pass, or a reason among its data. */
  readonly reason?: unknown;
  /** Faults that must be found through this deployment, too. */
  readonly faults?: readonly FaultName[] | undefined;
  /** Whether the row is for `npm run test:long`. */
  readonly isLong?: boolean;
}

interface Fault {
  readonly tiers?: (tiers: readonly Tier[]) => readonly Tier[];
  readonly isRefused?: (request: HttpRequest) => boolean;
}

const faults = {
  'customer rules are ignored': {
    tiers: (tiers) => tiers.map((tier) => ({ ...tier, rules: tier.rules.filter(({ kind }) => kind !== 'customer') })),
  },
  'a promotion for all is reserved': {
    tiers: (tiers) =>
      tiers.map((tier, n) => (n > 0 ? tier : { ...tier, rules: [{ kind: 'customer', any_of: ['nobody'] }] })),
  },
  'an older promotion is the newest': {
    tiers: (tiers) => {
      const isOlder = ({ name }: Tier) => name === 'beyond-first';
      const older = tiers.filter(isOlder).map((tier) => ({ ...tier, created_at: '2038-01-01T00:00:00.000Z' }));
      return [...older, ...tiers.filter((tier) => !isOlder(tier))];
    },
  },
  'metadata is refused': { isRefused: ({ body = '' }) => /"metadata":\{"[^}]+\}\}$/.test(body) },
} satisfies Record<string, Fault>;

type FaultName = keyof typeof faults;

export const visibleFaults: readonly FaultName[] = [
  'customer rules are ignored',
  'a promotion for all is reserved',
  'an older promotion is the newest',
];

/** Cases that show how the responses are read. */
export const fewCases: readonly string[] = ['reserved-for-one-customer', 'window-with-few-valid', 'every-valid-tier'];

/** Cases that find all faults. */
const finders = [...fewCases, 'metadata-accepted'];

/**
 * Certifies the deployment of a row, and again with each fault.
 *
 * @param cases by default all that verify requirements
 */
export async function checkDeployment(row: DeploymentRow, cases?: readonly string[]): Promise<void> {
  const { certificate, results } = await certifyRow(row, cases);
  const unpassed = renderUnpassed(certificate);
  expect(unpassed, 'a reason lacks data').not.toContain('{{');
  expect(certificate.verdict, unpassed).toBe(row.verdict);
  const failing = row.failing ?? (row.verdict === 'does-not-conform' ? undefined : []);
  if (failing !== undefined) expect(listRequirementsWith('fail', certificate), unpassed).toEqual(failing);
  if (row.passing !== undefined) expect(listRequirementsWith('pass', certificate)).toHaveLength(row.passing);
  const text = [...(certificate.incomplete_because ?? []), unpassed].join('\n');
  for (const said of [row.says ?? []].flat()) {
    if (typeof said === 'string') expect(text).toContain(said);
    else expect(text).toMatch(said);
  }
  if (row.reason !== undefined)
    expect(results.flatMap((result) => listReasons(result.reason))).toContainEqual(row.reason);
  for (const name of row.faults ?? visibleFaults) {
    const { deploy, target } = row;
    const { certificate: found } = await certifyRow({ deploy: breakDeployment(deploy, name), target }, finders);
    expect(found.verdict, `${name}\n${renderUnpassed(found)}`).toBe('does-not-conform');
  }
}

/**
 * Certifies a deployment. No request may name what the target does not have.
 *
 * @param cases by default all that verify requirements
 */
export async function certifyRow(
  { deploy, target = '' }: Pick<DeploymentRow, 'deploy' | 'target'>,
  cases?: readonly string[],
): Promise<InProcessRun> {
  const { suite, options } = readTarget(target);
  const { world } = suite;
  const answer = deploy(world);
  const sent: string[] = [];
  const recording: Answer = (request) => {
    sent.push(request.path + request.body);
    return answer(request);
  };
  const run = await certifyInProcess(recording, { suite: selectCases(suite, cases), ...options });
  expect([...world.unavailable.keys()].filter((id) => sent.some((request) => request.includes(id)))).toEqual([]);
  return run;
}

/** Adds a fault to a deployment. */
export function breakDeployment(deploy: Deploy, name: FaultName): Deploy {
  const { tiers, isRefused }: Fault = faults[name];
  if (isRefused !== undefined) return (world) => refuse(400, isRefused)(deploy(world));
  return (world) => deploy({ ...world, tiers: tiers?.(world.tiers) ?? world.tiers });
}

/** Refuses some requests before a deployment gets them. */
export const refuse =
  (status: number, isRefused: (request: HttpRequest) => boolean) =>
  (answer: Answer): Answer =>
  (request) =>
    isRefused(request) ? { status, headers: [], body: '{}' } : answer(request);

/** Presents the results of the reference deployment in another shape. @param type of shapes that are texts */
export function reshape(shape: Shape, world: TargetWorld, type = 'text/plain'): Change {
  return (handlers, { catalogue }) => ({
    list: (tiers, request) => {
      const shown = shape(tiers, world, handlers.newest(catalogue.tiers));
      const response = handlers.list([], request);
      if (typeof shown !== 'string') return { ...response, body: JSON.stringify(shown) };
      return { ...response, headers: [['Content-Type', type]], body: shown };
    },
  });
}

/** Selects cases, and what they verify or answer. */
function selectCases(suite: Suite, ids?: readonly string[]): Suite {
  const cases = suite.cases.filter(({ id, kind }) => ids?.includes(id) ?? kind === 'requirement');
  const subjects = new Set(
    cases.map((testCase) => (testCase.kind === 'requirement' ? testCase.verifies : testCase.answers)),
  );
  const { requirements, questions } = suite.contract;
  const isSelected = ({ id }: { readonly id: string }) => subjects.has(id);
  const selected = { requirements: requirements.filter(isSelected), questions: questions.filter(isSelected) };
  return { ...suite, cases, contract: { ...suite.contract, ...selected } };
}

/** A target file whose bindings stand in it, by the names of the world. */
type StatedTarget = Partial<Omit<TargetDocument, 'bindings'>> & {
  readonly bindings?: {
    readonly [List in (typeof worldListNames)[EntityKind]]?: Readonly<Record<string, string | number>>;
  };
};

/** A suite by the lines of a target file: with each fault, a row has the same. */
const suites = new Map<string, Suite>();

/** Reads lines of a target file. */
function readTarget(lines: string): { suite: Suite; options: StartRunOptions } {
  const document: StatedTarget = parse(lines) ?? {};
  const { response = {}, own_promotions: ownPromotions, bindings } = document;
  const availability = {
    ownPromotions: ownPromotions as number | undefined,
    bindings: bindings && createBindings((kind, name) => bindings[worldListNames[kind]]?.[name]?.toString()),
  };
  const options = {
    isWorldLoaded: document.world === 'loaded' || undefined,
    tierPatterns: response.tier === undefined ? undefined : [response.tier].flat(),
    mentionFilter: createMentionFilter(response),
  };
  const hasWorld = Object.keys(availability).length === 0;
  const selected = hasWorld ? wholeSuite : (suites.get(lines) ?? loadSuite(packageCasesFolder, availability));
  suites.set(lines, selected);
  return { suite: selected, options };
}
