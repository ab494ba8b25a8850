import { defineCases } from '../../src/runner/define-cases.js';

defineCases('requirements/underspecified-requests.yaml');
