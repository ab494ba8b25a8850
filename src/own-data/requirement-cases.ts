import type { Assertion } from '../assertions/assertion.js';
import type { RequirementCase, RequirementRow } from '../cases/test-case.js';
import type { Contract, RequirementTopic } from '../contract/contract.js';
import { type World, windowSize } from '../contract/world.js';
import type { Location } from '../support/problem.js';
import type { CandidateRequest } from './candidate-request.js';
import { createRowsByTopic } from './rows-by-topic.js';

const drawnPrefix = 'data-';

/** Whether an id is that of a case that is drawn from a data file. */
export function isDrawnCase({ id }: { readonly id: string }): boolean {
  return id.startsWith(drawnPrefix);
}

/** Creates a case for each requirement. What it sends depends on the data file, and is drawn when it is first needed. */
export function createDrawnRequirementCases(
  { requirements }: Pick<Contract, 'requirements'>,
  drawRows: (requirement: string) => readonly RequirementRow[] = () => [],
): RequirementCase[] {
  return requirements.map(({ id, statement, at }) => ({
    kind: 'requirement',
    id: `${drawnPrefix}${id}`,
    verifies: id,
    title: `On its own data: ${statement}`,
    at,
    tags: [],
    get rows() {
      return drawRows(id);
    },
  }));
}

/**
 * Creates the rows for drawn requests, by the id of the requirement. A requirement that they cannot show is not applicable,
 * and the reason is named.
 */
export function createDrawnRows(
  { requirements }: Contract,
  world: World,
  drawn: readonly CandidateRequest[],
): ReadonlyMap<string, readonly RequirementRow[]> {
  const { byTopic, arrivals } = createRowsByTopic(world, drawn);
  return new Map(
    requirements.map(({ id, about = 'body', at }) => {
      const shown = byTopic.get(about) ?? [];
      // That responses arrive does not show that the body decides.
      const rows = about === 'body' && shown.length > 0 ? [...shown, ...arrivals] : shown;
      if (isShown(about, rows)) return [id, rows.map((row) => placeRow(row, at))];
      const unavailable = [describeLack(about, world)];
      return [id, [{ title: '', requests: new Map(), given: [], expect: [], unavailable }]];
    }),
  );
}

/** A failure points to the requirement in the contract: no case file states what is drawn. */
function placeRow(row: RequirementRow, at: Location): RequirementRow {
  const place = (assertions: readonly Assertion[]) => assertions.map((assertion) => ({ ...assertion, at }));
  return { ...row, given: place(row.given), expect: place(row.expect) };
}

/** Whether rows show a topic. A rule, or the window, is shown only if a promotion is seen with it and without it. */
function isShown(topic: RequirementTopic, rows: readonly RequirementRow[]): boolean {
  const has = (kind: string) => rows.some(({ expect }) => expect.some((assertion) => assertion.kind === kind));
  if (twoSided.includes(topic)) return has('returned.include') && has('returned.exclude');
  return rows.length > 0;
}

/** Topics that need a promotion that is returned because of them, and one that is not. */
const twoSided: readonly RequirementTopic[] = [
  'customer-rule',
  'product-rule',
  'sku-rule',
  'quantity',
  'metadata-rule',
  'rank',
];

function describeLack(topic: RequirementTopic, { tiers }: World): string {
  if (topic === 'rank' && tiers.length <= windowSize)
    return `a promotion tier that is older than the newest ${windowSize}: the data file has ${tiers.length} tiers`;
  if (!twoSided.includes(topic)) return 'a promotion that a request must get, and a request that shows this';
  return `a promotion for which a ${topic.replace('-', ' ')} alone decides between a request that must get it and one that must not`;
}
