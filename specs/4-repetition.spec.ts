import { defineRepetition } from '../src/runner/define-cases.js';

defineRepetition(import.meta.filename);
