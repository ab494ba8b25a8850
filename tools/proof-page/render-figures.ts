import { formatNumber, formatShare, sum } from './markdown.js';
import type { ProofData } from './proof-data.js';
import { countAll, countConforming, countDomain, countProxies, listFleetFigures } from './proof-figures.js';

/** The figures of the README, between its markers. */
export function renderReadmeFigures(data: ProofData): string {
  const { withStory, generated, survivors } = data.faults;
  const found = countAll(withStory).found + countAll(generated).found;
  const faults = found + survivors.length;
  const fleets = listFleetFigures();
  const total = (member: 'found' | 'graded' | 'right' | 'wrong') => sum(fleets.map((fleet) => fleet[member]));
  const missed = sum(fleets.map((fleet) => fleet.missed.length));
  const { servers } = data.constant;
  const mostPassed = Math.max(...servers.map(({ passed }) => passed));
  const cases = servers[0]?.cases ?? 0;
  const conforming = countConforming(data);
  const proxies = countProxies();
  const domain = countDomain();
  return [
    `- **It finds mistakes.** Of ${formatNumber(faults)} faults of the reference deployment, one at a time, a default run finds ${found === faults ? 'all' : formatNumber(found)}. They enumerate the ways in which ${domain.decisions} decisions go wrong.`,
    `- **It finds mistakes of others.** Of ${formatNumber(total('found') + missed)} mistakes in ${fleets.length} deployments that others wrote, it found ${formatNumber(total('found'))}. A reader who knew the mistakes graded the first explanation of each run: right ${formatShare(total('right'), total('graded'))}, wrong ${formatShare(total('wrong'), total('graded'))}.`,
    `- **It cannot be passed by chance.** A server that answers every request alike passes at most ${mostPassed} of ${cases} cases, and never conforms.`,
    `- **It accuses nobody wrongly.** ${conforming.failed === 0 ? 'None' : conforming.failed} of ${formatNumber(conforming.runs)} runs against conforming deployments failed, whatever their responses looked like. Through ${proxies.conforming} of ${proxies.forwarding} configurations of proxies and servers that forward requests, the reference deployment conforms.`,
    '- **It does not prove everything.** Nobody has run it against the vendor’s service, and neither load nor timing is tested.',
    '',
    'The [proof](docs/proof.md) has all figures, with the command that measures each.',
  ].join('\n');
}
