/**
 * Builds `dist/`: compiles, then makes what is derived at build time (`make-derived.ts`), and the bundle that the package
 * contains (`make-bundle.ts`). Does nothing if nothing has changed since the last build. A new build is made beside the old one and put in its place at the end, so that what runs from
 * `dist/` meanwhile finds every file. Plain JavaScript: it runs before anything is compiled.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

const root = path.dirname(import.meta.dirname);
const inRoot = (name) => path.join(root, name);

const inputs = ['src', 'specs', 'reference', 'test', 'tools', 'cases', 'schemas', 'templates/reasons.yaml'];
const configs = ['playwright.config.ts', 'tsconfig.json', 'package.json', 'package-lock.json'];

const [built, draft, replaced, lock] = ['dist', 'dist.new', 'dist.old', 'dist.lock'].map(inRoot);
/** In `dist/`: the digest of what it was built from, and the names of its files. */
const manifestName = 'build.json';

function listFiles(name) {
  if (!statSync(inRoot(name)).isDirectory()) return [name];
  const entries = readdirSync(inRoot(name), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
}

function computeDigest() {
  const hash = createHash('sha256');
  // The published package has no sources, and is not built.
  const names = [...inputs, ...configs].filter((name) => existsSync(inRoot(name)));
  for (const file of names.flatMap(listFiles).sort()) hash.update(`${file}\0${readFileSync(inRoot(file), 'base64')}\0`);
  return hash.digest('hex');
}

/** Whether `dist/` was built from inputs with this digest, and still has all of its files. */
function isBuiltFrom(digest) {
  const manifest = path.join(built, manifestName);
  if (!existsSync(manifest)) return false;
  const { inputs: before, files } = JSON.parse(readFileSync(manifest, 'utf8'));
  return before === digest && files.every((file) => existsSync(path.join(built, file)));
}

function build(digest) {
  rmSync(draft, { recursive: true, force: true });
  const compiler = inRoot('node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', root, '--outDir', draft], { cwd: root, stdio: 'inherit' });
  for (const script of ['make-derived.js', 'make-bundle.js'])
    execFileSync(process.execPath, [path.join(draft, 'tools', script)], { cwd: root, stdio: 'inherit' });
  // npm does so when it installs the package. In the repository, `npx conformance` runs the file as it is.
  chmodSync(path.join(draft, 'bundle', 'src', 'cli', 'conformance.js'), 0o755);
  const files = listFiles(path.basename(draft)).map((file) => path.relative(path.basename(draft), file));
  writeFileSync(path.join(draft, manifestName), JSON.stringify({ inputs: digest, files }));
  rmSync(replaced, { recursive: true, force: true });
  if (existsSync(built)) renameSync(built, replaced);
  renameSync(draft, built);
  rmSync(replaced, { recursive: true, force: true });
}

/** Whether the process that holds the lock is gone, for example killed. */
function isLockStale() {
  try {
    process.kill(Number(readFileSync(path.join(lock, 'pid'), 'utf8')), 0);
    return false;
  } catch (error) {
    // Until its owner has written the file, the lock is new.
    const isNew = error.code === 'ENOENT' && existsSync(lock) && Date.now() - statSync(lock).mtimeMs < 5_000;
    return error.code !== 'EPERM' && !isNew;
  }
}

/** Waits until no other script builds. @returns whether this one holds the lock; otherwise another one has just built */
async function takeLock() {
  try {
    mkdirSync(lock);
    writeFileSync(path.join(lock, 'pid'), String(process.pid));
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (isLockStale()) rmSync(lock, { recursive: true, force: true });
  await new Promise((resolve) => setTimeout(resolve, 100));
  return false;
}

const digest = computeDigest();
while (!isBuiltFrom(digest)) {
  if (!(await takeLock())) continue;
  try {
    if (!isBuiltFrom(digest)) build(digest);
  } catch (error) {
    // The compiler has printed what is wrong.
    if (error.status === undefined) throw error;
    process.exitCode = error.status || 1;
    break;
  } finally {
    rmSync(draft, { recursive: true, force: true });
    rmSync(lock, { recursive: true, force: true });
  }
}
