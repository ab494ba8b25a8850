import { defineCases } from '../../src/runner/define-cases.js';

defineCases('requirements/query-samples.yaml');
