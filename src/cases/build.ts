import { UnusableInput } from '../support/problem.js';
import { precompileSuite } from './suite.js';

// The build runs this after the compiler. It accepts a mistake in a case file: commands that load the suite report it.
try {
  precompileSuite();
} catch (error) {
  if (!(error instanceof UnusableInput)) throw error;
}
