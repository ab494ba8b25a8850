import { defineCases } from '../../src/runner/define-cases.js';

defineCases('requirements/sending.yaml');
