import { defineCases } from '../../src/runner/define-cases.js';

defineCases('questions/customer.yaml');
