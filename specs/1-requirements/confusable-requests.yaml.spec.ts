import { defineCases } from '../../src/runner/define-cases.js';

defineCases('requirements/confusable-requests.yaml');
