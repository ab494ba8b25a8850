import { defineCases } from '../../src/runner/define-cases.js';

defineCases('requirements/independent-requests.yaml');
