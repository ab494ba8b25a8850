import { createPageMistake, createWindowMistake, type Mistake } from '../../../reference/model.js';
import { getWindowSize, type NamedWorld, type Tier, windowSize } from '../../contract/world.js';
import { renderHiddenPromotionsHint } from '../../judge/own-promotions.js';
import { renderShortList } from '../../support/collections.js';
import type { Observations } from './observation.js';

/** Lists windows other than that of the newest 150 tiers, and limits on the result, with the sizes of a run. */
export function listSizeMistakes({ compared, tiers, world }: Observations): Mistake[] {
  const ranks = new Map(world.tiers.map(({ id }, n) => [id, n + 1]));
  const unfiltered = compared
    .filter(({ request }) => !request.path.includes('?'))
    .map(({ returned }) => tiers.flatMap(({ id }, n) => (returned[n] ? (ranks.get(id) ?? []) : [])));
  const first = Math.min(world.tiers.length + 1, ...unfiltered.flat());
  const lasts = [
    ...takeMostFrequent(unfiltered.flatMap((seen) => seen.at(-1) ?? [])),
    Math.max(0, ...unfiltered.flat()),
  ];
  const window = compared.length === 0 ? [] : tiers.slice(0, getWindowSize(world));
  const unseen = window.filter((_, n) => compared.every(({ returned }) => !returned[n]));
  const mistakes = [
    ...lasts.map((rank) => createSizeMistake('window-size', rank + (world.ownPromotions ?? 0), world, unseen)),
    createSizeMistake('window-missing', 0, world, unseen),
    createSizeMistake('window-oldest', world.tiers.length - first + 1, world, unseen),
    ...takeMostFrequent(compared.map(({ returned }) => returned.filter(Boolean).length)).map((count) =>
      createSizeMistake('page-size', count, world),
    ),
  ];
  return mistakes.flatMap((mistake) => (mistake === undefined ? [] : [{ ...mistake, isSimple: true }]));
}

export function findSizeMistake(id: string, world: NamedWorld): Mistake | undefined {
  const [kind = '', size = 0] = id.split('/');
  return createSizeMistake(kind, Number(size), world);
}

function takeMostFrequent(numbers: readonly number[]): number[] {
  const countOf = (wanted: number) => numbers.filter((number) => number === wanted).length;
  return [...new Set(numbers)].toSorted((left, right) => countOf(right) - countOf(left)).slice(0, 3);
}

/** @param unseen tiers of the window that no response has: they may not be loaded */
function createSizeMistake(
  kind: string,
  size: number,
  { tiers, ownPromotions }: NamedWorld,
  unseen: readonly Tier[] = [],
): Mistake | undefined {
  const id = `${kind}/${size}`;
  const createWindow = (id: string, sentence: string, chosen: readonly Tier[], more = ''): Mistake => {
    const unloaded = unseen.filter((tier) => !chosen.includes(tier)).map(({ name }) => `'${name}'`);
    const hint = unloaded.length === 0 ? '' : ` Or these promotion tiers are not loaded: ${renderShortList(unloaded)}.`;
    const ids = new Set(chosen.map((tier) => tier.id));
    return createWindowMistake(id, `${sentence}${hint}${more}`, (all) => all.filter((tier) => ids.has(tier.id)));
  };
  const newest = tiers.slice(0, Math.max(0, size - (ownPromotions ?? 0)));
  const oldest = tiers.slice(-size);
  const instead = `promotion tiers, not the newest ${windowSize}`;
  if (kind === 'window-missing') {
    const sentence = `The limit of the newest ${windowSize} promotion tiers is not applied: older ones are returned.`;
    return createWindow(kind, sentence, tiers);
  }
  if (kind === 'window-size' && size > 0 && size !== windowSize && newest.length < tiers.length) {
    const more = ownPromotions === undefined ? renderHiddenPromotionsHint(size) : '';
    return createWindow(id, `The deployment checks the newest ${size} ${instead}.`, newest, more);
  }
  if (kind === 'window-oldest' && size > 0 && size < tiers.length) {
    const order = 'they are sorted in the wrong direction';
    return createWindow(id, `The deployment checks the oldest ${size} ${instead}: ${order}.`, oldest);
  }
  const hint = 'The test data is not loaded under these ids (npx conformance world), or the result is always empty.';
  const sentence = `A response has at most ${size} ${size === 1 ? 'promotion' : 'promotions'}: a page, or a limit on the result.`;
  return kind === 'page-size' && size >= 0 && size < windowSize
    ? createPageMistake(id, size === 0 ? `No promotion is ever returned. ${hint}` : sentence, (all) =>
        all.slice(0, size),
      )
    : undefined;
}
