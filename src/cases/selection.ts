import type { Obligation, Oracle } from '../contract/oracle.js';
import { suggest } from '../support/suggest.js';
import type { Path } from '../support/yaml-file.js';
import type { Tier } from '../world/world.js';
import type { NamedWorld } from '../world/world-file.js';

/** Which tiers are meant: a name, names, `promised`, or terms that must all hold. See `schemas/cases.schema.json`. */
export type Selection = string | readonly string[] | SelectionTerms;

interface SelectionTerms {
  readonly promised?: true;
  readonly valid?: boolean;
  readonly matching?: boolean;
  readonly campaign?: string;
  readonly metadata?: Readonly<Record<string, string | number | boolean>>;
  readonly newest?: number;
  readonly beyond?: number;
}

/** Whether a tier of a rank (1 is the newest) is meant; `open` where the documentation leaves it open. */
type Selected = (tier: Tier, rank: number) => Obligation;

interface SelectionProblem {
  /** Steps from the selection. */
  readonly at: Path;
  readonly message: string;
  readonly hint: string;
}

/** Reads a selection for a request of which `promised` is promised. */
export function selected(
  selection: Selection,
  { world, ids }: NamedWorld,
  promised: Oracle,
): { standing: Selected; problems: SelectionProblem[] } {
  if (selection === 'promised') return { standing: (tier) => promised.returned(tier), problems: [] };
  if (typeof selection === 'string' || isList(selection)) {
    const names = [selection].flat() as string[];
    const problems = names.flatMap((name, n) =>
      ids.tier.has(name)
        ? []
        : [
            {
              at: isList(selection) ? [n] : [],
              message: `there is no tier '${name}' in the world`,
              hint: suggest(name, [...ids.tier.keys(), 'promised']),
            },
          ],
    );
    return { standing: (tier) => yesOrNo(names.includes(tier.name)), problems };
  }
  const { campaign, metadata, valid, matching, newest, beyond } = selection;
  const campaignId = campaign === undefined ? undefined : ids.campaign.get(campaign);
  const problems =
    campaign !== undefined && campaignId === undefined
      ? [
          {
            at: ['campaign'],
            message: `there is no campaign '${campaign}' in the world`,
            hint: suggest(
              campaign,
              world.campaigns.map(({ name }) => name),
            ),
          },
        ]
      : [];
  const terms: Selected[] = [
    ...(selection.promised === undefined ? [] : [(tier: Tier) => promised.returned(tier)]),
    ...(valid === undefined ? [] : [(tier: Tier) => (valid ? promised.valid(tier) : opposite(promised.valid(tier)))]),
    ...(matching === undefined
      ? []
      : [(tier: Tier) => (matching ? promised.matching(tier) : opposite(promised.matching(tier)))]),
    ...(campaign === undefined ? [] : [(tier: Tier) => yesOrNo(tier.campaign_id === campaignId)]),
    ...Object.entries(metadata ?? {}).map(
      ([key, value]) =>
        (tier: Tier) =>
          yesOrNo(Object.hasOwn(tier.metadata, key) && tier.metadata[key] === value),
    ),
    ...(newest === undefined ? [] : [(_: Tier, rank: number) => yesOrNo(rank <= newest)]),
    ...(beyond === undefined ? [] : [(_: Tier, rank: number) => yesOrNo(rank > beyond)]),
  ];
  const standing: Selected = (tier, rank) => {
    const all = terms.map((term) => term(tier, rank));
    if (all.includes('no')) return 'no';
    return all.includes('open') ? 'open' : 'yes';
  };
  return { standing, problems };
}

function isList(selection: Selection): selection is readonly string[] {
  return Array.isArray(selection);
}

function yesOrNo(holds: boolean): Obligation {
  return holds ? 'yes' : 'no';
}

function opposite(standing: Obligation): Obligation {
  if (standing === 'open') return 'open';
  return standing === 'yes' ? 'no' : 'yes';
}
