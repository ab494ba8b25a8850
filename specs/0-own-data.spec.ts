import { defineDataCases } from '../src/runner/define-cases.js';

defineDataCases();
