import type { World } from '../../src/contract/world.js';
import {
  type DecisionFamily,
  handlersWithoutFaults,
  listDecisionFamilies,
  listFaultsByHandler,
  listUnseenClasses,
} from '../proof/fault-domain.js';
import { drawnRequestCount, type MutantFate, mutantFates } from '../proof/judge-mutant.js';
import { formatCount, formatNumber, renderCommand, renderFolded, renderTable, sum } from './markdown.js';
import type { ProofData } from './proof-data.js';
import { countDomain, countMutants } from './proof-figures.js';

/** Counts the faults of the domain, by the kind of decision that goes wrong. */
export function renderDomainTable({ faults }: ProofData): string {
  const rows = listDecisionFamilies().map((family) => {
    const total = (member: 'ways' | 'visible' | 'open' | 'equivalent' | 'unasked') =>
      sum(family.decisions.map((decision) => decision[member]));
    const { faults: counted = 0, found = 0 } = faults.generated[family.kind] ?? {};
    // A mistake that is a fault with a story already is found or lost with it.
    const doubles = total('visible') - counted;
    return [
      family.what,
      family.decisions.length,
      family.ways.length,
      total('ways'),
      found + doubles,
      total('visible') - found - doubles,
      total('open'),
      total('equivalent'),
      total('unasked'),
    ];
  });
  return renderTable(
    [
      'kind of decision',
      'decisions',
      'ways',
      'faults',
      'found',
      'survive',
      'open by the documentation',
      'no documented request shows it',
      'not asked',
    ],
    rows,
  );
}

/** The model: decisions, and the ways in which they go wrong. */
export function renderDomain(data: ProofData): string {
  const families = listDecisionFamilies();
  const { decisions, ways, visible, open, equivalent, unasked } = countDomain();
  return `## The fault domain

${renderCommand('npm run proof -- faults', data.faults.measured)}. An implementation makes decisions: it compares texts, walks lists, takes the newest, keeps something. Each decision can go wrong in the ways of its kind. The domain is every way at every decision, one at a time, enumerated: ${formatNumber(ways)} faults at ${decisions} decisions. **The claim: a default run finds every fault of the domain that its requests can show**, ${formatNumber(visible)} of them. A fault of the domain that a documented request shows and that is not in this table is a bug: please report it.

${renderDomainTable(data)}

All decisions and ways come from \`tools/proof/places/\` and \`tools/proof/mistakes/\`. Not every way applies to every decision of its kind: ids are not read as dates.

${families.map(renderFamily).join('\n\n')}

### Faults that no run finds

${formatNumber(open)} faults change what the documentation leaves open: a question reports most of them. ${formatNumber(equivalent)} are equivalent: no documented request shows them. ${formatNumber(unasked)} could be shown by documented requests that the suite does not send. \`tools/proof/mistakes/invisibility.yaml\` has the classes:

${renderUnseen()}`;
}

function renderFamily({ what, decisions, ways }: DecisionFamily): string {
  const table = renderTable(
    ['decision', 'faults', 'must be found', 'open', 'equivalent', 'not asked'],
    decisions.map((decision) => [
      `${decision.what} (\`${decision.id}\`)`,
      decision.ways,
      decision.visible,
      decision.open,
      decision.equivalent,
      decision.unasked,
    ]),
  );
  const list = ways.map((way) => `- ${way.replaceAll(/[<>&*_`|\\]/g, (sign) => `\\${sign}`)}`).join('\n');
  return renderFolded(
    `Where ${what}: ${formatCount(decisions.length, 'decision')}, ${formatCount(ways.length, 'way')}`,
    `${table}\n\nWays:\n\n${list}`,
  );
}

function renderUnseen(): string {
  const leads = { open: 'open by the question', 'not-visible': 'equivalent', undetected: 'not asked' } as const;
  return renderTable(
    ['why', 'reason', 'faults'],
    listUnseenClasses().map(({ is, why, faults }) => [leads[is], is === 'open' ? `\`${why}\`` : why, faults]),
  );
}

/** Where the decisions are in the code of the reference deployment. */
export function renderHandlers(world: World): string {
  const rows = listFaultsByHandler(world).map(({ handler, decisions, faults }) => [
    `\`${handler}\``,
    decisions.map((id) => `\`${id}\``).join(', ') || (handlersWithoutFaults[handler] ?? ''),
    faults,
  ]);
  return `### Is a decision missing?

The reference deployment consists of handlers ([reference/README.md](../reference/README.md)). Each of them is replaced by some fault, or has a reason why not. A test refuses a handler, or a part of a request that could be kept, that has neither.

${renderFolded('All handlers', renderTable(['handler', 'decisions, or why there is none', 'faults with a story'], rows))}`;
}

/** Changes to the code that nobody chose. */
export function renderMutants(data: ProofData): string {
  const { code } = data;
  const fates = Object.keys(mutantFates) as MutantFate[];
  const total = countMutants(data);
  const all = sum(Object.values(total));
  const rows = Object.entries(code.byFile).map(([file, counts]) => [
    `\`${file.replace(/\.js$/, '.ts')}\``,
    ...fates.map((fate) => counts[fate] ?? 0),
  ]);
  return `### Changes that nobody chose

${renderCommand('npm run proof -- code', code.measured)}. The decisions above were listed by people. So [Stryker](https://stryker-mutator.io) changes the code of the reference deployment, too: each condition, comparison, list call, block and literal, ${formatNumber(all)} changes, one at a time. A change may break the documentation, or an answer to an open question, or nothing. Each changed deployment answers the requests of the suite and ${drawnRequestCount} documented requests that no default run sends, so that a change that the run overlooks becomes visible.

${renderTable(['file', ...fates], [...rows, ['all', ...fates.map((fate) => total[fate])]])}

${fates.map((fate) => `- **${fate}**: ${mutantFates[fate]}.`).join('\n')}

${total.hidden === 0 ? 'No change is hidden.' : `Hidden: ${code.survivors.map((line) => `\`${line}\``).join('; ')}.`}`;
}
