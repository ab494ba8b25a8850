import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { stringify } from 'yaml';
import { readCaseFile } from '../../src/cases/case-file.js';
import { expandWorld } from '../../src/contract/world-file.js';
import { packageRoot } from '../../src/support/package-root.js';
import { readSchema } from '../../src/support/schema-validation.js';
import { parseYaml, readYaml } from '../../src/support/yaml-file.js';
import { makeTestFolder, runConformanceInProcess } from '../support/cli.js';
import { certifyInProcess, createReference, suite } from '../support/in-process.js';

const docs = readdirSync(path.join(packageRoot, 'docs')).filter((name) => name.endsWith('.md'));
const documents = ['README.md', 'CONTRIBUTING.md', ...docs.map((name) => `docs/${name}`)].map((name) => ({
  name,
  text: readFileSync(path.join(packageRoot, name), 'utf8'),
}));

/** Lists the YAML blocks of a document, without the indentation of the list that they are in. */
function listExamples(text: string): string[] {
  const found = text.matchAll(/^( *)```yaml\n([\s\S]*?)^ *```/gm);
  return [...found].map(([, indentation, block = '']) => block.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''));
}

const caseLanguage = 'docs/case-language.md';

for (const { name, text } of documents) {
  const examples = name === caseLanguage ? [] : listExamples(text);

  test(`${name}: examples of additions to the world are valid`, () => {
    const world = readYaml(path.join(packageRoot, 'cases', 'world.yaml'));
    for (const example of examples.filter((each) => each.includes('own-world.schema.json')))
      expect(expandWorld(world, parseYaml(example, name)).tiers).toHaveLength(suite.world.tiers.length);
  });

  test(`${name}: examples of cases are valid, and pass on the reference deployment`, async () => {
    for (const example of examples.filter((each) => /^cases:$/m.test(each))) {
      const { cases, problems } = readCaseFile(parseYaml(example, name), suite);
      expect(problems).toEqual([]);
      const { results } = await certifyInProcess(createReference(), { suite: { ...suite, cases } });
      expect(results.map(({ verdict }) => verdict)).toEqual(cases.map(() => 'pass'));
    }
  });

  test(`${name}: each command exists with its options`, async () => {
    const folder = makeTestFolder();
    const shown = [...text.matchAll(/npx conformance ([a-z]+)([^\n`#]*)/g)];
    for (const command of new Set(shown.map(([, command = '']) => command))) {
      const { status, output } = await runConformanceInProcess([command, '--help'], { cwd: folder });
      expect(status, command).toBe(0);
      const uses = shown.filter(([, other]) => other === command);
      const options = uses.flatMap(([, , rest = '']) => rest.split(' -- ')[0]?.match(/--[a-z-]+/g) ?? []);
      for (const option of options) expect(output, command).toContain(option);
    }
  });

  test(`${name}: each linked and each named file exists`, () => {
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, link = '']) =>
      path.join(path.dirname(name), link),
    );
    const files = [...text.matchAll(/`((?:cases|examples|schemas|specs|src|reference)\/[A-Za-z0-9./-]*)`/g)].map(
      ([, file = '']) => file,
    );
    for (const file of [...links, ...files]) expect(existsSync(path.join(packageRoot, file)), file).toBe(true);
  });
}

test.describe('The list of keys of the case language', () => {
  type Example = Readonly<Record<string, unknown>>;

  const createQuestion = (requests: Example, more: Example = {}) => ({
    ...{ answers: 'response-status', title: 'T', requests, value: { of: 'probe', take: 'status' } },
    ...more,
  });
  const shared = {
    requests: {
      plain: {},
      'nothing-valid': { filter: { campaign: 'winter' } },
      control: { filter: { campaign: 'summer' } },
    },
  };

  /** Completes the example of a key to a case file, by the section that it is in. */
  const complete: Readonly<Record<string, (example: Example) => object>> = {
    'A file': (example) => ({
      cases: [createCase({ request: { again: 1 }, expect: [{ of: 'request', status: '2xx' }] })],
      ...example,
    }),
    'A case': (example) => ({ cases: [createCase(example)] }),
    'A request': (example) => ({
      templates: { 'two-mugs': { again: 1 }, 'with-expand': {} },
      cases: [createQuestion({ plain: {}, probe: example })],
    }),
    'A check': (example) => ({
      shared,
      cases: [createQuestion({ probe: { filter: { campaign: 'spring' } } }, { given: [{ of: 'probe', ...example }] })],
    }),
  };

  function createCase(example: Example): object {
    const needed = 'requests' in example ? { title: 'T' } : { title: 'T', request: {} };
    if (!('answers' in example))
      return { id: 'example', verifies: 'result.all-valid', ...needed, expect: [{ status: '2xx' }], ...example };
    return { ...needed, ...(example.answers === 'repeatability' ? { outcomes: repeatability } : {}), ...example };
  }

  const repeatability = ['identical', 'same-promotions', 'different-promotions'].map((outcome) => ({
    outcome,
    when: { of: 'second', status: '2xx' },
  }));

  const { text = '' } = documents.find(({ name }) => name === caseLanguage) ?? {};
  const keys = text
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const [title = ''] = section.split('\n');
      return section
        .split(/^### /m)
        .slice(1)
        .map((entry) => ({ section: title, key: /^`(.*)`/.exec(entry)?.[1] ?? '', examples: listExamples(entry) }));
    });

  test('has each key with an example of a few lines that is valid', () => {
    for (const { section, key, examples } of keys) {
      expect(examples, key).toHaveLength(1);
      const [example = ''] = examples;
      expect(example.trim().split('\n').length, key).toBeLessThanOrEqual(6);
      const value = parseYaml(example, key).value as Example;
      const [name = '', member] = key.split('.');
      const holder = member === undefined || section !== 'A check' ? value : (value[name] as Example);
      expect(Object.keys(holder), key).toContain(member ?? (name === 'all-of' ? 'any-of' : name));
      const file = stringify(complete[section]?.(value));
      const { problems } = readCaseFile(parseYaml(file, key), suite);
      expect.soft(problems, key).toEqual([]);
    }
  });

  test('has the keys of the schemas', () => {
    const cases = readSchema('cases') as {
      properties: Example;
      $defs: { case: { properties: Example }; request: { properties: Example } };
    };
    const { check } = (
      readSchema('assertions') as {
        $defs: { check: { properties: Readonly<Record<string, { properties?: Example }>> } };
      }
    ).$defs;
    const inGroups = Object.entries(check.properties).flatMap(([key, { properties }]) =>
      properties === undefined || key === 'status' || key === 'accepted'
        ? [key]
        : Object.keys(properties).map((member) => `${key}.${member}`),
    );
    const known = (section: string) =>
      keys
        .filter((each) => each.section === section)
        .map(({ key }) => key)
        .sort();
    expect(known('A file')).toEqual(Object.keys(cases.properties).sort());
    expect(known('A case')).toEqual(Object.keys(cases.$defs.case.properties).sort());
    expect(known('A request')).toEqual(Object.keys(cases.$defs.request.properties).sort());
    expect(known('A check')).toEqual(inGroups.sort());
  });
});

test('Every schema is valid', () => {
  const ajv = new Ajv2020();
  const names = readdirSync(path.join(packageRoot, 'schemas')).filter((name) => name.endsWith('.schema.json'));
  for (const name of names) {
    ajv.validateSchema(readSchema(name.replace('.schema.json', '')));
    expect(ajv.errors, name).toBeNull();
  }
});
