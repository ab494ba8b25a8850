import { defineCases } from '../../src/runner/define-cases.js';

defineCases('requirements/whole-responses.yaml');
