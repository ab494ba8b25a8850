import { defineOwnCases } from '../src/runner/define-cases.js';

defineOwnCases();
