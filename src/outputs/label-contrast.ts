/** Names the requests of a contrast, for the terminal and for the page. */

import type { CauseEntry, CauseExample } from '../certificate/cause-entry.js';

/**
 * After the `first` request, the `second` one has a wrong result; sent `alone`, it has the right one. Where no earlier request
 * decides, one is `wrong`, and the nearest one `right`.
 */
type ContrastLabel = 'first' | 'second' | 'wrong' | 'right' | 'alone';

export interface LabelledExample {
  readonly label: ContrastLabel;
  readonly example: CauseExample;
}

/** Lists the requests of a contrast, each once. */
export function labelContrast({ wrong = [], right }: Pick<CauseEntry, 'wrong' | 'right'>): LabelledExample[] {
  const last = wrong.at(-1);
  const before = wrong.slice(0, -1);
  const isLater = before.length > 0;
  const isShown = before.some(({ repeat_with }) => repeat_with === right?.repeat_with);
  return [
    ...before.map((example): LabelledExample => ({ label: 'first', example })),
    ...(last === undefined ? [] : [{ label: isLater ? 'second' : 'wrong', example: last } as const]),
    ...(right === undefined || isShown ? [] : [{ label: isLater ? 'alone' : 'right', example: right } as const]),
  ];
}
