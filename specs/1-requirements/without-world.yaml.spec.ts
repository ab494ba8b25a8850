import { defineCases } from '../../src/runner/define-cases.js';

defineCases('requirements/without-world.yaml');
