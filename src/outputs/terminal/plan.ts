import { describeRequest } from '../../contract/describe-request.js';
import type { TargetWorld } from '../../contract/world.js';
import type { HttpRequest } from '../../http/exchange.js';
import { countPlannedRequests, type Plan } from '../../run/plan.js';
import { joinAndEscapeLines, shorten } from '../../support/untrusted-text.js';

/** Renders what `--dry-run` prints: the requests of a run, and why a case is excluded. */
export function renderPlan(plan: Plan, world: TargetWorld): string {
  const describe = (request: HttpRequest) => `  ${shorten(describeRequest(request, world), 160)}`;
  const sent = plan.cases.filter(({ reason }) => reason === undefined);
  return joinAndEscapeLines([
    `before the cases  (${plan.calibration.length})`,
    ...plan.calibration.map(describe),
    ...plan.cases.flatMap(({ id, reason, requests, mark }) => [
      `${id}  ${reason ?? `(${requests.length})${mark}`}`,
      ...requests.map(describe),
    ]),
    `again at the end  (${plan.repeated})`,
    '',
    `${sent.length} of ${plan.cases.length} cases, ${countPlannedRequests(plan)} requests. What fails is sent again. Nothing was sent. For the requests of a case in full: npx conformance explain CASE`,
  ]);
}
