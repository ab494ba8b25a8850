import type { Change } from '../reference/handlers.js';
import type { ResponseTemplates } from './judge/extract-templates.js';
import { fillTemplate } from './judge/response-template.js';
import type { World } from './world/world.js';

/** Makes the reference deployment answer in the format of another one. @param answers of a record */
export function mockFromRecord(answers: ResponseTemplates, world: World): Change {
  const { list, expanded = list, error } = answers;
  let responses = 0;
  return (handlers) => ({
    ...(list === undefined
      ? {}
      : {
          list: (tiers, request) => {
            // Volatile values differ between responses.
            responses += 1;
            const template = request.expand.length > 0 ? expanded : list;
            const body = JSON.stringify(fillTemplate(template, { world, tiers, volatile: responses }));
            return { ...handlers.list(tiers, request), body };
          },
        }),
    ...(error === undefined
      ? {}
      : {
          refused: (refusal) => {
            const { status, headers } = handlers.refused(refusal);
            const others = headers.filter(([name]) => name !== 'content-type');
            const body = JSON.stringify(error.body);
            return { status, headers: [['content-type', error.media_type], ...others], body };
          },
        }),
  });
}
