import { defineCases } from '../../src/runner/define-cases.js';

defineCases('questions/sending.yaml');
