import { defineCases } from '../../src/runner/define-cases.js';

defineCases('requirements/metadata.yaml');
