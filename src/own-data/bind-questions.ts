import { visit } from 'jsonc-parser';
import type { QuestionCase } from '../cases/test-case.js';
import { entityKinds, findById, type TargetWorld, type Tier, type World, windowSize } from '../contract/world.js';
import { encodeQueryText } from '../http/decoded-request.js';
import type { HttpRequest } from '../http/exchange.js';
import { groupBy } from '../support/collections.js';
import { describeRole, describeSearchedId, describeTierRole } from './describe-roles.js';
import { chooseTestDataStandIns, type TestDataStandIns } from './stand-ins.js';
import { listNestedMembersNamed, listTestDataIds, replaceStringValues, replaceTestDataIds } from './test-data-ids.js';
import { createTierRoleDescriber, type RequestSubject, readRequestSubject } from './tier-roles.js';

/** How many things that the data lacks are named: a question without one of them is not asked. */
const maxRoles = 2;

/** The ids of a data file, by the ids of the test data that they replace. */
type Bindings = ReadonlyMap<string, string>;

/**
 * Creates a function that asks a question about the data of a deployment: each thing of the test data is replaced by one that
 * has the same role in the requests of the case. Where something has no stand-in, the case is not applicable.
 */
export function createQuestionBinder(world: TargetWorld, data: World): (testCase: QuestionCase) => QuestionCase {
  const standIns = chooseTestDataStandIns(world, data);
  const listRoles = createRoleLister(world);
  return (testCase) => {
    const { answer } = testCase;
    const [row] = testCase.rows;
    const requests = [...row.requests.values()];
    const expected = [row.given, answer];
    const needed = new Set(listTestDataIds([requests, expected]));
    const subject = readRequestSubject(requests, world);
    const tiers = bindTiers(needed, subject, standIns, world, data);
    const bindings = new Map([...standIns.things, ...tiers.bindings]);
    // A body may contain a short id by chance, so that nothing can stand for an id that is searched for as a text.
    const searched = new Set(listTestDataIds(listNestedMembersNamed(expected, 'texts')));
    const lacking = [...needed].filter((id) => !bindings.has(id) || searched.has(id));
    const unavailable = listRoles(lacking, searched, tiers.describe);
    // The data may have some of it: another part of the question may need that.
    if (unavailable.length > 0)
      return leaveOut(testCase, `enough of what the question needs: ${unavailable.join('; ')}`);
    const unit = subject.areUnits ? standIns.unit : 1;
    const bound = [...row.requests].map(([name, request]) => [name, bindRequest(request, bindings, unit)] as const);
    const bindText = (text: string) => bindings.get(text) ?? text;
    const given = replaceStringValues(row.given, bindText);
    return {
      ...testCase,
      rows: [{ ...row, requests: new Map(bound), given }],
      answer: replaceStringValues(answer, bindText),
    };
  };
}

/** Leaves out a question. @param lacking what the target does not have */
export function leaveOut(question: QuestionCase, lacking: string): QuestionCase {
  const [row] = question.rows;
  return { ...question, rows: [{ ...row, unavailable: [lacking] }] };
}

/** Creates a function that says what the data lacks, by the ids of the test data for which nothing stands. */
function createRoleLister({ ids, tiers }: TargetWorld) {
  const names = new Map(
    entityKinds.flatMap((kind) => [...ids[kind]].map(([name, id]) => [id, { kind, name }] as const)),
  );
  return (
    lacking: readonly string[],
    searched: ReadonlySet<string>,
    describeTier: (tier: Tier) => string,
  ): string[] => {
    const roles = lacking.flatMap((id) => {
      const { kind, name } = names.get(id) ?? {};
      if (kind === undefined || name === undefined) return [];
      if (searched.has(id)) return describeSearchedId(kind);
      if (kind !== 'tier') return describeRole(kind, name);
      const tier = findById(tiers, id);
      return tier === undefined ? [] : describeTier(tier);
    });
    return [...new Set(roles)].slice(0, maxRoles);
  };
}

interface BoundTiers {
  readonly bindings: Bindings;
  /** Says what the data lacks if nothing stands for a tier. */
  readonly describe: (tier: Tier) => string;
}

/** Binds the tiers that a case needs to tiers of the data for which the same decides whether they are returned. */
function bindTiers(
  needed: ReadonlySet<string>,
  subject: RequestSubject,
  standIns: TestDataStandIns,
  world: World,
  data: World,
): BoundTiers {
  const itself = { things: new Map([...standIns.things.keys()].map((id) => [id, id])), unit: 1 };
  const describe = createTierRoleDescriber(subject, world, itself);
  const newest = data.tiers.slice(0, windowSize);
  const byRole = groupBy<Tier, string>(newest, createTierRoleDescriber(subject, data, standIns));
  const bindings = new Map<string, string>();
  const neededByRole = groupBy(
    world.tiers.slice(0, windowSize).filter(({ id }) => needed.has(id)),
    describe,
  );
  for (const [role, tiers] of neededByRole)
    for (const [n, { id }] of tiers.entries()) {
      const standIn = byRole.get(role)?.[n];
      if (standIn !== undefined) bindings.set(id, standIn.id);
    }
  return {
    bindings,
    describe(tier) {
      const role = describe(tier);
      const counts = [neededByRole, byRole].map((tiersByRole) => tiersByRole.get(role)?.length ?? 0);
      const [count = 0, found = 0] = counts;
      return describeTierRole(tier, Math.max(1, count), found, { subject, standIns });
    },
  };
}

function bindRequest({ path, body, ...request }: HttpRequest, bindings: Bindings, unit: number): HttpRequest {
  const bind = (text: string, encode: (id: string) => string) =>
    replaceTestDataIds(text, (id) => encode(bindings.get(id) ?? id));
  const bound = { ...request, path: bind(path, encodeQueryText) };
  if (body === undefined) return bound;
  return { ...bound, body: bind(multiplyUnits(body, unit), (id) => JSON.stringify(id).slice(1, -1)) };
}

/**
 * Orders several units in place of one. The text of a body is changed in place: a question may be about its white space, or
 * about a member that is there twice.
 */
function multiplyUnits(body: string, unit: number): string {
  const places: number[] = [];
  visit(body, {
    onLiteralValue(value, offset, _length, _line, _character, getPath) {
      // A question may be about items in another place, or about one item without its list.
      if (value === 1 && getPath().at(-1) === 'quantity') places.push(offset);
    },
  });
  const starts = [0, ...places.map((place) => place + 1)];
  return starts.map((start, n) => body.slice(start, places[n])).join(String(unit));
}
