import { defineCases } from '../../src/runner/define-cases.js';

defineCases('questions/order.yaml');
