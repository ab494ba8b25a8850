import { defineCases } from '../../src/runner/define-cases.js';

defineCases('requirements/filters.yaml');
