import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { createDeployment } from '../../reference/deployment.js';
import { readCaseFile } from '../../src/cases/case-file.js';
import { credentialPlaceholders } from '../../src/contract/operation.js';
import { packageRoot } from '../../src/support/package-root.js';
import { parseYaml, readYaml } from '../../src/support/yaml-file.js';
import { expandWorld } from '../../src/world/world-file.js';
import { createTemporaryFolder, runConformanceInProcess } from './support/cli.js';
import { certifyInProcess, suite } from './support/in-process.js';

const documents = ['README.md', 'CONTRIBUTING.md'].map((name) => ({
  name,
  text: readFileSync(path.join(packageRoot, name), 'utf8'),
}));

/** The code blocks of a language, without the indentation of the list that they stand in. */
function blocks(text: string, language: string): string[] {
  const found = text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\``, 'gm'));
  return [...found].map(([, indentation, block = '']) => block.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''));
}

/** Examples that are no case file name their schema. */
const isOfWorld = (example: string) => example.includes('own-world.schema.json');

for (const { name, text } of documents) {
  test(`${name}: every example of additions to the world is taken`, () => {
    const world = readYaml(path.join(packageRoot, 'cases', 'world.yaml'));
    for (const example of blocks(text, 'yaml').filter(isOfWorld))
      expect(expandWorld(world, parseYaml(example, name)).tiers).toHaveLength(suite.world.tiers.length);
  });

  test(`${name}: every example case is taken, and passes on the reference deployment`, async () => {
    const examples = blocks(text, 'yaml').filter((example) => !isOfWorld(example));
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      const { cases, problems } = readCaseFile(parseYaml(example, name), suite);
      expect(problems).toEqual([]);
      const deployment = createDeployment({ world: suite.world, credentials: credentialPlaceholders });
      const { results } = await certifyInProcess(deployment, { suite: { ...suite, cases } });
      expect(results.map(({ verdict }) => verdict)).toEqual(cases.map(() => 'pass'));
    }
  });

  test(`${name}: every command exists, with the options that are shown`, async () => {
    const { folder, remove } = createTemporaryFolder();
    const shown = [...text.matchAll(/npx conformance ([a-z]+)([^\n`#]*)/g)];
    for (const command of new Set(shown.map(([, command = '']) => command))) {
      const { status, output } = await runConformanceInProcess([command, '--help'], { cwd: folder });
      expect(status, command).toBe(0);
      const uses = shown.filter(([, other]) => other === command);
      const options = uses.flatMap(([, , rest = '']) => rest.split(' -- ')[0]?.match(/--[a-z-]+/g) ?? []);
      for (const option of options) expect(output, command).toContain(option);
    }
    remove();
  });

  test(`${name}: every link and every named file of the project is there`, () => {
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, link = '']) => link);
    const files = [...text.matchAll(/`((?:cases|schemas|specs|src|reference|targets)\/[A-Za-z0-9./-]*)`/g)].map(
      ([, file = '']) => file,
    );
    for (const file of [...links, ...files]) expect(existsSync(path.join(packageRoot, file)), file).toBe(true);
  });
}

test('every package is named with its reason', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8'));
  const contributing = documents.find(({ name }) => name === 'CONTRIBUTING.md')?.text ?? '';
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) expect(contributing).toContain(name);
});
