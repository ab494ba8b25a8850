import type { StructuralMistake } from '../../reference/faults/model.js';
import type { Contrast } from '../run/case-report.js';
import type { UnpassedRow } from './observation.js';

/** A part of what is wrong with a deployment, and the rows that it explains. */
export interface CauseWithRows {
  /** Stable, with the size that it has, such as `window-size/100`. */
  readonly id: string;
  readonly sentence: string;
  /** The facts that show it, in numbers, a sentence each. */
  readonly evidence: readonly string[];
  readonly rows: Set<UnpassedRow>;
  /** The requests that show it, and the nearest right one, if it is a contrast. */
  readonly shown?: Pick<Contrast, 'wrong' | 'right'>;
  /** What was assumed, if the reference deployment can answer with it. */
  readonly mistake?: StructuralMistake;
}
