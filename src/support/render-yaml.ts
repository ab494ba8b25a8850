import { Document, type ScalarTag, visit } from 'yaml';
import { escapeControlCharacters } from './untrusted-text.js';

/** Renders a value as YAML that reads back the same, in which no untrusted text begins a line. @param comment before it */
export function renderYaml(value: object, comment: string): string {
  const document = new Document(value, { aliasDuplicateObjects: false, customTags: (tags) => [quotedText, ...tags] });
  document.commentBefore = comment;
  visit(document, {
    Scalar(role, scalar) {
      if (role === 'key' && !/^\w/.test(String(scalar.value))) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ lineWidth: 0, doubleQuotedAsJSON: true });
}

/** No line ends in white space. */
const fitsBlock = /^\S(.*\S)?(\n+.*\S)*$/;
/** Matches lines that a pipeline would obey. */
const commands = /^\s*::/m;

/** Quotes texts that need escapes, which YAML reads only in double quotes, and texts that do not fit a block. */
const quotedText: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  identify: (value) =>
    typeof value === 'string' &&
    (value !== escapeControlCharacters(value) ||
      (value.includes('\n') && (!fitsBlock.test(value) || commands.test(value)))),
  resolve: (text) => text,
  stringify: ({ value }) => escapeControlCharacters(JSON.stringify(value)),
};
