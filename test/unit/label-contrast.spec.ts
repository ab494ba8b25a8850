import { expect, test } from '@playwright/test';
import { labelContrast } from '../../src/outputs/label-contrast.js';

test('Each request of a contrast has its place in the order of sending, and none is shown twice', () => {
  const example = (repeat_with: string) => ({ exchange: repeat_with, repeat_with, received: '200' });
  const label = (wrong: string[], right?: string) =>
    labelContrast({ wrong: wrong.map(example), ...(right !== undefined && { right: example(right) }) }).map(
      (shown) => `${shown.label} ${shown.example.repeat_with}`,
    );
  expect(label(['x'], 'y')).toEqual(['wrong x', 'right y']);
  expect(label(['x'])).toEqual(['wrong x']);
  // What is right now was wrong in the run.
  expect(label(['x'], 'x')).toEqual(['wrong x', 'right x']);
  expect(label(['a', 'b'], 'b')).toEqual(['first a', 'second b', 'alone b']);
  expect(label(['a', 'b'], 'a')).toEqual(['first a', 'second b']);
  expect(label([])).toEqual([]);
});
