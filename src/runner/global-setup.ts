import type { FullConfig } from '@playwright/test';
import { referenceCredentials } from '../../reference/deployment/reference-credentials.js';
import { loadKnownCauses } from '../certify/target-run.js';
import type { World } from '../contract/world.js';
import { hideMessagesOfErrors } from '../support/problem.js';
import { loadProjectInputs, shareWithChildProcesses } from './options.js';

/** Runs once before all tests: starts the reference deployment if a project tests it. */
export default function setUp(config: FullConfig): Promise<(() => Promise<void>) | undefined> {
  return hideMessagesOfErrors(async () => {
    const projects = config.projects.map((project) => loadProjectInputs(project.use, config));
    for (const { settings, suite } of projects) await loadKnownCauses(settings, suite.world);
    const tested = projects.find(({ settings }) => settings.target.kind === 'reference');
    const served = tested && (await serve(tested.suite.world));
    shareWithChildProcesses('setUp', {
      reference: served?.url ?? '',
      ownCases: projects.flatMap(({ settings: { cases: folder, availability } }) =>
        folder === undefined ? [] : { folder, data: availability.data },
      ),
      areDrawn: projects.map(({ suite }) => suite.data !== undefined),
    });
    return served?.close;
  });
}

async function serve(world: World) {
  const { serveReference } = await import('../../reference/deployment/server.js');
  return await serveReference({ world, credentials: referenceCredentials });
}
