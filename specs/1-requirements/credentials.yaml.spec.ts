import { defineCases } from '../../src/runner/define-cases.js';

defineCases('requirements/credentials.yaml');
