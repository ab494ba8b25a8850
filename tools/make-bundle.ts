/**
 * Makes the bundle, which the package contains in place of the compiled files: a user installs a tenth of the files. What is
 * loaded at different times stays in different files. The names of the files that others load are those of the sources.
 */

import { appendFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { bundleFolderName, distFolder, packageRoot } from '../src/support/package-root.js';
import { toPosixPath } from '../src/support/paths.js';
import { writeDeclarations } from './write-declarations.js';

const bundleFolder = path.join(distFolder, bundleFolderName);

/** What programs import: they need the declarations, too. */
const imported = ['src/api', 'src/mock', 'src/playwright', 'src/runner/certificate-reporter', 'playwright.config'];

/** The command, and what Playwright loads by its path. */
const loaded = ['src/cli/conformance', 'src/runner/global-setup', ...listSpecs()];

/** Rooms that every process loads. Of the others, it may load some files alone. */
const commonRooms = /[\\/]src[\\/](support|contract|recognition|assertions|cases|suite|judge|record|config)[\\/]/;

function listSpecs(): string[] {
  const files = readdirSync(path.join(packageRoot, 'specs'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => path.posix.join('specs', toPosixPath(file).replace(/\.ts$/, '')));
}

const names = [...imported, ...loaded];
const bundle = await rolldown({
  input: Object.fromEntries(names.map((name) => [name, path.join(packageRoot, `${name}.ts`)])),
  platform: 'node',
  // npm installs the packages.
  external: (module) => !module.startsWith('.') && !path.isAbsolute(module),
  resolve: { extensionAlias: { '.js': ['.ts'] } },
});
await bundle.write({
  dir: bundleFolder,
  format: 'esm',
  // Comments are in the repository. Names stay, for the stack of a bug that somebody reports.
  comments: false,
  sourcemap: true,
  codeSplitting: {
    groups: [
      // The command checks the version of Node.js before it loads the rest.
      { name: 'needed-versions', test: /[\\/](needed-versions|package-root|settle-colors)\.ts$/, priority: 1 },
      { name: 'common', test: commonRooms },
    ],
  },
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name].js',
});
await bundle.close();

// UI mode asks for the tests of a case file: Playwright looks for it among the sources of a spec.
for (const spec of listSpecs()) {
  const [, folder, file] = /^specs\/\d-(\w+)\/(.*\.yaml)\.spec$/.exec(spec) ?? [];
  if (file === undefined) continue;
  const map = { version: 3, sources: [`../../../../cases/${folder}/${file}`], names: [], mappings: '' };
  const url = `data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;
  appendFileSync(path.join(bundleFolder, `${spec}.js`), `\n//# sourceMappingURL=${url}\n`);
}

writeDeclarations(imported, bundleFolder);
