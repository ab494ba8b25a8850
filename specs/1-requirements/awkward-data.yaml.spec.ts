import { defineCases } from '../../src/runner/define-cases.js';

defineCases('requirements/awkward-data.yaml');
