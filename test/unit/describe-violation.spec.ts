import { expect, test } from '@playwright/test';
import { describeViolation } from '../../src/support/describe-violation.js';
import { compileSchema } from '../../src/support/schema-validation.js';
import { checkEachRow } from '../support/check-each-row.js';

test('A value that does not fit its schema is described in plain words', () => {
  const rows: readonly (readonly [words: string, schema: object, value: unknown])[] = [
    ['must be a mapping', { type: 'object' }, null],
    ['must be a text or a whole number', { type: ['string', 'integer'] }, 0.5],
    ['must not be empty', { minLength: 1 }, ''],
    ['must have at least 2 entries', { minItems: 2 }, [1]],
    ['must have at most 1 key', { maxProperties: 1 }, { a: 1, b: 2 }],
    ['must be empty', { maxItems: 0 }, [1]],
    ['must have at most 300 characters', { maxLength: 300 }, 'a'.repeat(301)],
    ['must be at least 20', { minimum: 20 }, 19],
    ['must be at most 20', { maximum: 20 }, 21],
    ['must be greater than 0', { exclusiveMinimum: 0 }, 0],
    ['must not have an entry twice', { uniqueItems: true }, [1, 1]],
    ['must be true', { const: true }, false],
  ];
  checkEachRow(rows, (words, schema, value) => {
    const validate = compileSchema(schema);
    validate(value);
    const [error] = validate.errors ?? [];
    expect(error && describeViolation(error)).toBe(words);
  });
  expect(describeViolation({ keyword: 'format', params: { format: 'date' }, message: '' })).toMatch(/^must be a date/);
});
