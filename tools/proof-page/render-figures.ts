import { formatNumber, formatShare, sum } from './markdown.js';
import type { ProofData } from './proof-data.js';
import { countAll, countConforming, countDomain, countProxies, listFleetFigures } from './proof-figures.js';

/** The figures of the README, between its markers. */
export function renderReadmeFigures(data: ProofData): string {
  const [stories, places] = [countAll(data.faults.withStory), countAll(data.faults.generated)];
  const lost = places.faults - places.found;
  const fleets = listFleetFigures();
  const total = (member: 'found' | 'graded' | 'right' | 'wrong') => sum(fleets.map((fleet) => fleet[member]));
  const count = (member: 'missed' | 'incomplete') => sum(fleets.map((fleet) => fleet[member].length));
  const [missed, unjudged] = [count('missed'), count('incomplete')];
  const unseen = fleets.flatMap(({ firstSight }) => firstSight ?? []);
  const atFirstSight = (member: 'mistakes' | 'found' | 'right' | 'wrong') => sum(unseen.map((first) => first[member]));
  const { servers } = data.constant;
  const mostPassed = Math.max(...servers.map(({ passed }) => passed));
  const cases = servers[0]?.cases ?? 0;
  const conforming = countConforming(data);
  const proxies = countProxies();
  const domain = countDomain();
  return [
    `- **It finds mistakes.** ${domain.decisions} decisions of a deployment go wrong in ${formatNumber(domain.ways)} ways, one at a time. ${formatNumber(domain.visible)} of them break the documentation in what a default run asks: it finds ${lost === 0 ? 'all of these' : `all of these but ${lost}`}, and ${stories.found} of ${stories.faults} structural mistakes. Of the others, ${formatNumber(domain.open)} change what the documentation leaves open, ${domain.equivalent} nothing that a documented request shows, and ${domain.unasked} what the suite does not ask.`,
    `- **It finds mistakes of others.** Of ${formatNumber(total('found') + missed + unjudged)} mistakes in ${fleets.length} deployments that others wrote, it found ${formatNumber(total('found'))}, missed ${missed}, and said of ${unjudged} that it cannot judge. A reader who knew the mistakes graded the first explanation of each run: right ${formatShare(total('right'), total('graded'))}, wrong ${formatShare(total('wrong'), total('graded'))}. At first sight, before it was improved with what ${unseen.length} of the fleets showed, it found ${atFirstSight('found')} of their ${atFirstSight('mistakes')} mistakes, and ${formatShare(atFirstSight('right'), atFirstSight('found'))} of the explanations were right, ${formatShare(atFirstSight('wrong'), atFirstSight('found'))} wrong.`,
    `- **It cannot be passed by chance.** A server that answers every request alike passes at most ${mostPassed} of ${cases} cases, and never conforms.`,
    `- **It accuses nobody wrongly.** ${conforming.failed === 0 ? 'None' : conforming.failed} of ${formatNumber(conforming.runs)} runs against conforming deployments failed, whatever their responses looked like: ${formatNumber(conforming.conforms)} conform, and ${conforming.incomplete} are incomplete, most of them behind a proxy that damages one response in twenty. Through ${proxies.conforming} of ${proxies.forwarding} configurations of proxies and servers that forward requests, the reference deployment conforms.`,
    '- **It does not prove everything.** Nobody has run it against the vendor’s service, and neither load nor timing is tested.',
    '',
    'The [proof](docs/proof.md) has all figures, with the command that measures each. The deployments of others are kept apart from this repository.',
  ].join('\n');
}
