import { defineDrawnCases } from '../src/runner/define-cases.js';

defineDrawnCases();
