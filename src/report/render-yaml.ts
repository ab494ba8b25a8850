import type { ScalarTag } from 'yaml';
import { escapeControlCharacters } from '../support/escape-control-characters.js';
import { loadYaml } from '../support/yaml-file.js';

/** YAML that reads back as the same value, whatever the texts hold, and in which no key of a stranger begins a line. */
export function renderYaml(value: object): string {
  const { Document, visit } = loadYaml();
  const document = new Document(value, { aliasDuplicateObjects: false, customTags: (tags) => [escapedText, ...tags] });
  visit(document, {
    Scalar(place, scalar) {
      if (place === 'key' && !/^\w/.test(String(scalar.value))) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ lineWidth: 0, doubleQuotedAsJSON: true });
}

/** What YAML can have in a block as it is: no line ends in white space, and none looks like a command to a pipeline. */
const fitsBlock = /^\S(.*\S)?(\n+.*\S)*$/;
const commands = /^\s*::/m;

/** A text that needs escapes, which YAML reads within double quotes alone, or that is no block. */
const escapedText: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  identify: (value) =>
    typeof value === 'string' &&
    (value !== escapeControlCharacters(value) ||
      (value.includes('\n') && (!fitsBlock.test(value) || commands.test(value)))),
  resolve: (text) => text,
  stringify: ({ value }) => escapeControlCharacters(JSON.stringify(value)),
};
