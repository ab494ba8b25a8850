import type { World } from '../../src/contract/world.js';
import { listMistakes, type MistakeFate, type RecordedData, readRecordedData } from '../own-data/recorded-data.js';
import { readRecordedRuns } from '../proxies/recorded-runs.js';
import { conformingKinds } from './conforming-deployments.js';
import { renderDomain, renderDomainTable, renderHandlers, renderMutants } from './domain-sections.js';
import { formatNumber, formatShare, renderCommand, renderTable, sum } from './markdown.js';
import type { ProofData, ProofPart } from './proof-data.js';
import {
  countAll,
  countConforming,
  countDomain,
  countProxies,
  type FleetFigures,
  listFleetFigures,
} from './proof-figures.js';

/** Renders `docs/proof.md`. */
export function renderProofPage(data: ProofData, world: World): string {
  const sections = [
    renderLead(),
    renderFaults(data),
    renderDomain(data),
    renderHandlers(world),
    renderMutants(data),
    renderFleets(listFleetFigures()),
    renderOwnData(readRecordedData()),
    renderConstantServers(data),
    renderConforming(data),
    renderProxies(),
    renderUnproven(),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** What the page says of a part, without its lists: the command that measures the part prints it. */
export const renderPart: { readonly [Part in ProofPart]: (data: ProofData) => readonly string[] } = {
  faults: (data) => [renderFaults(data), renderDomainTable(data)],
  code: (data) => [renderMutants(data)],
  constant: (data) => [renderConstantServers(data)],
  conforming: (data) => [renderConforming(data)],
};

function renderLead(): string {
  return `# Proof

This page says on what the trust in a verdict rests. A command beside each figure measures it again; for the fleets, it needs their folders, which are kept apart from this repository, and a reader who grades. \`npm run proof\` writes the page: it measures all parts that need nothing but this repository, and reads the others from the records of their own commands. \`npm run proof -- faults\` measures one part: \`faults\`, \`code\`, \`constant\` or \`conforming\`.

A *fault* is a mistake that the reference deployment makes on purpose, and that breaks one requirement. It is *found* if this requirement fails in a default run.`;
}

function renderFaults({ faults }: ProofData): string {
  const { withStory, generated, survivors, measured } = faults;
  const [stories, places] = [countAll(withStory), countAll(generated)];
  const doubles = countDomain().visible - places.faults;
  return `## Faults of the reference deployment

${renderCommand('npm run proof -- faults', measured)}. Faults with a story are structural mistakes, such as another window, or a rule that is ignored. [reference/README.md](../reference/README.md) says where they are, and \`npx conformance serve --fault ID\` serves most of them. The other faults are mistakes at places: see the next section.

${renderTable(
  ['broken requirement, or kind of decision', 'faults', 'found'],
  [
    ...Object.entries(withStory).map(([requirement, count]) => [`\`${requirement}\``, count.faults, count.found]),
    ['all faults with a story', stories.faults, stories.found],
    [
      `all mistakes at places that the run must find, without ${doubles} that are faults with a story`,
      places.faults,
      places.found,
    ],
  ],
)}

${survivors.length === 0 ? 'Every fault is found.' : `Not found: ${survivors.map((id) => `\`${id}\``).join(', ')}.`} [The kill matrix](../tools/proof/kill-matrix.md) has the other requirements that each fault with a story breaks.`;
}

function renderFleets(fleets: readonly FleetFigures[]): string {
  const rows = fleets.map((fleet) => [
    `${fleet.about} (${fleet.measured})`,
    fleet.mistakes,
    fleet.open.length,
    fleet.found,
    fleet.incomplete.length,
    fleet.missed.length,
    fleet.right,
    fleet.wider,
    fleet.silent,
    fleet.wrong,
    fleet.triggers,
  ]);
  const totals = rows[0]?.slice(1).map((_, at) => sum(rows.map((row) => Number(row[at + 1])))) ?? [];
  const list = (member: 'open' | 'incomplete' | 'missed') =>
    fleets.flatMap((fleet) => fleet[member].map((id) => `\`${fleet.name}/${id}\``)).join(', ') || 'none';
  return `## Deployments that others wrote

The faults above were made by those who made the suite. These deployments were not: their authors had the documentation alone. Each has one mistake. \`npm run fleet -- FOLDER\` certifies such a fleet, and a reader who knows the true mistake grades the first explanation of each run. The grades are in \`test/grades/\`. The fleets are kept apart from this repository, so that nobody fits the suite to them: to doubt these figures, write a fleet of your own.

${renderTable(
  [
    'fleet',
    'mistakes',
    'open',
    'found',
    'incomplete',
    'missed',
    'right',
    'wider',
    'silent',
    'wrong',
    'names the trigger',
  ],
  [...rows, ['all', ...totals]],
)}

*Open*: the author takes it for a mistake, and a question of the contract leaves it open. *Incomplete*: the run says that it cannot judge. *Right*: the first explanation is true, and it leads to the mistake or names what triggers it. *Wider*: it is true, and one still has to search. *Silent*: there is none. *Wrong*: it is untrue, or it leads elsewhere. *Names the trigger*: the first screen says what has to be sent to see the mistake.

Missed: ${list('missed')}. Incomplete: ${list('incomplete')}. Open: ${list('open')}.

${renderFirstSight(fleets)}`;
}

function renderFirstSight(fleets: readonly FleetFigures[]): string {
  const rows = fleets.flatMap(({ about, firstSight }) =>
    firstSight === undefined
      ? []
      : [
          [
            `${about} (${firstSight.measured})`,
            firstSight.mistakes,
            firstSight.found,
            firstSight.right,
            firstSight.wider,
            firstSight.wrong,
            firstSight.triggers,
          ],
        ],
  );
  const totals = rows[0]?.slice(1).map((_, at) => sum(rows.map((row) => Number(row[at + 1])))) ?? [];
  return `The suite was improved with what these fleets showed, so the figures above say how it does on mistakes of kinds that it has met. This is how it did on a fleet at first sight, before anything was changed because of it:

${renderTable(['fleet', 'mistakes', 'found', 'right', 'wider', 'wrong', 'names the trigger'], [...rows, ['all', ...totals]])}`;
}

/** What runs on generated data found of the mistakes of fleets. */
export function renderOwnData(shops: readonly RecordedData[]): string {
  const count = (shop: RecordedData, fate: MistakeFate) => listMistakes(shop, fate).length;
  const found = sum(shops.map((shop) => count(shop, 'found')));
  const missed = shops.flatMap((shop) =>
    listMistakes(shop, 'missed').map((id) => `\`${shop.fleet}/${id}\` (${shop.tiers} tiers)`),
  );
  const visible = found + missed.length;
  const accused = shops.filter(({ right }) => right === 'does-not-conform').length;
  return `## On data of a deployment's own

\`npm run own-data\` makes the data of shops, serves it with each mistake of a fleet, and certifies [on this data](own-data.md). The seed makes the data: each has other ids, texts and rules. A mistake is *visible* if one of 1,500 further documented requests shows it; many are not, since a shop with few rules has no use for them. The largest shops are measured with a share of the mistakes. Of ${formatNumber(visible)} visible mistakes, the runs found ${formatNumber(found)} (${formatShare(found, visible)}). Of ${shops.length} deployments without a mistake, ${accused === 0 ? 'none' : accused} failed: a run is \`incomplete\` where the data cannot show a requirement, and prints the line to declare it.

${renderTable(
  ['fleet', 'tiers', 'seed', 'measured', 'visible', 'found', 'not visible', 'without a mistake'],
  shops.map((shop) => [
    shop.fleet,
    shop.tiers,
    String(shop.seed),
    shop.measured,
    count(shop, 'found') + count(shop, 'missed'),
    count(shop, 'found'),
    count(shop, 'not-visible'),
    `\`${shop.right}\``,
  ]),
)}

Missed: ${missed.join(', ') || 'none'}.`;
}

function renderConstantServers({ constant }: ProofData): string {
  return `## Servers that do not look at their requests

${renderCommand('npm run proof -- constant', constant.measured)}. Each of these servers answers every request alike. None may conform, and what it passes shows how many cases an answer satisfies by chance.

${renderTable(
  ['it always answers', 'verdict', 'cases passed', 'requirements passed'],
  constant.servers.map(({ answers, verdict, passed, cases, requirementsPassed, requirements }) => [
    answers,
    `\`${verdict}\``,
    `${passed} of ${cases}`,
    `${requirementsPassed} of ${requirements}`,
  ]),
)}

A server that returns nothing, or refuses everything, may lack the test data: such a run is \`incomplete\`, never \`conforms\`.`;
}

function renderConforming(data: ProofData): string {
  const { kinds, survivors, measured } = data.conforming;
  const { runs, failed } = countConforming(data);
  return `## Conforming deployments

${renderCommand('npm run proof -- conforming', measured)}. Of ${formatNumber(runs)} runs against conforming deployments, ${failed === 0 ? 'none' : failed} ended with \`does-not-conform\`.

${renderTable(
  ['deployment', 'runs', '`conforms`', '`incomplete`', '`does-not-conform`'],
  kinds.map((kind) => [conformingKinds[kind.id], kind.runs, kind.conforms, kind.incomplete, kind.failed.length]),
)}

A run is \`incomplete\` where responses do not say which promotions were returned, or where the proxy spoils too much. The long tests draw more: 500 deployments and 200 runs behind the proxy (\`npm run test:long -- chaos.spec\`).${survivors.length === 0 ? '' : ` Failed: ${survivors.join('; ')}.`}`;
}

function renderProxies(): string {
  const runs = readRecordedRuns();
  const { forwarding, conforming, right, measured } = countProxies(runs);
  const days = [...new Set([measured[0], measured.at(-1)])].join(' to ');
  return `## Ordinary software before a deployment

Measured on ${days}: \`npm run proxies\`, on a machine that has the software. Through ${forwarding} of ${runs.length} configurations a conforming deployment should conform, and ${conforming === forwarding ? 'does' : `does through ${conforming}`}. The others limit or change what arrives: a body that is dropped, a cache that ignores the body. There the right verdict is \`incomplete\` or \`does-not-conform\`, and the first reason must name the software's part in it. ${right === runs.length ? 'All' : right} of ${runs.length} runs ended as they should.

${renderTable(
  ['software', 'configuration', 'verdict', 'as it should be'],
  runs.map(({ software, variant, verdict, isRight }) => [software, variant, `\`${verdict}\``, isRight ? 'yes' : 'no']),
)}`;
}

function renderUnproven(): string {
  return `## What is not proven

- **No run against the vendor's service.** Nobody has run the suite against the real deployment. What it requires is what its documentation says, and no more.
- **One mistake at a time.** Each fault is alone. Two mistakes may hide each other.
- **Mistakes outside the domain.** A deployment may make a decision that the reference deployment does not make, or go wrong in a way that nobody thought of. The fleets tell how often that happens.
- **What the suite does not ask.** Some faults show in documented requests that no default run sends, so that it sends few. The list above names each class.
- **Data of your own.** Most of these figures are about the test data of the suite. [On other data](own-data.md), requests are drawn, and what they show depends on that data: without two promotions that differ in letter case alone, nobody sees a lost letter case.
- **Time and load.** Neither speed nor load is tested. A deployment that fails under a thousand requests in a second, after an hour, or at midnight passes. Mistakes that depend on timing are found only if they happen during the run.
- **Random behaviour.** A wrong answer that comes once and not again is \`inconclusive\`, never a failure.
- **The judge.** Nobody proves the code that judges. \`npm run mutate\` changes it thousands of times, and prints the changes that no test notices.`;
}
