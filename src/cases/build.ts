import { UnusableInput } from '../support/problem.js';
import { buildSuite } from './suite.js';

// A mistake in a case file is no reason not to build: whoever loads the suite sees it.
try {
  buildSuite();
} catch (error) {
  if (!(error instanceof UnusableInput)) throw error;
}
