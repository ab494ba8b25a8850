import type { FullConfig } from '@playwright/test';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { referenceNotice } from '../certificate/notices.js';
import type { World } from '../contract/world.js';
import { InternalError, UnusableInput } from '../support/problem.js';
import { loadKnown } from '../target/target-run.js';
import { loadProject, shareSetUp } from './options.js';

/** Runs once before all tests: starts the reference deployment if a project tests it. Its module is loaded only then. */
export default async function setUp(config: FullConfig): Promise<() => Promise<void>> {
  try {
    const projects = config.projects.map((project) => loadProject(project.use, config));
    for (const { settings, suite } of projects) await loadKnown(settings, suite.world);
    const tested = projects.find(({ settings }) => settings.target.kind === 'reference');
    const { url, close } = await serve(tested?.suite.world);
    shareSetUp({
      reference: url,
      ownCases: [...new Set(projects.flatMap(({ settings }) => settings.cases ?? []))],
      areDrawn: projects.map(({ suite }) => suite.data !== undefined),
    });
    return close;
  } catch (error) {
    throw error instanceof UnusableInput ? error : new InternalError(error);
  }
}

async function serve(world: World | undefined) {
  if (world === undefined) return { url: '', close: async () => undefined };
  process.stdout.write(`${referenceNotice}\n`);
  const { serveReference } = await import('../../reference/server.js');
  return await serveReference({ world, credentials: referenceCredentials });
}
