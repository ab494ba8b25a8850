import { createDeployment } from '../../reference/deployment/deployment.js';
import type { Fault } from '../../reference/faults/fault.js';
import { type HttpRequest, serializeRequest } from '../../src/http/exchange.js';
import { listRequestsOfCase } from '../../src/run/case-sender.js';
import type { Suite } from '../../src/suite/suite.js';
import { inProcessCredentials } from './judge-deployment.js';

/** Two faults with the same answers to all requests of the requirement cases. */
type Double = readonly [id: string, like: string];

/**
 * Finds the faults that answer every documented request like one of some others. Faults that these requests do not show,
 * as they come too early or too late for its state, are like no other one.
 *
 * @param some faults that must differ from each other
 * @param others faults from which they must differ, too
 */
export function findDoubles({ cases, world }: Suite, some: readonly Fault[], others: readonly Fault[]): Double[] {
  const sent = cases.flatMap((testCase) => (testCase.kind === 'requirement' ? listRequestsOfCase(testCase) : []));
  const distinct = [...new Map(sent.map((request) => [serializeRequest(request), request])).values()];
  const start = (...faults: Fault[]) => {
    const respond = createDeployment({ world, credentials: inProcessCredentials, faults });
    return (request: HttpRequest) => {
      const { status, body } = respond(request);
      return `${status} ${body}`;
    };
  };
  return [true, false].flatMap((hasState) => {
    // Without state, only the first of several equal requests tells something.
    const requests = hasState ? sent : distinct;
    const isMeant = (fault: Fault) => (fault.hasState ?? false) === hasState;
    const documented = requests.map(start());
    const known = some
      .filter(isMeant)
      .map((fault) => ({ id: fault.id, answers: requests.map(start(fault)) }))
      .filter(({ answers }) => answers.some((answer, n) => answer !== documented[n]));
    const findAlike = (answer: (request: HttpRequest, n: number) => string, candidates: typeof known): typeof known => {
      let alike = candidates;
      for (const [n, request] of requests.entries()) {
        if (alike.length === 0) break;
        const received = answer(request, n);
        alike = alike.filter(({ answers }) => answers[n] === received);
      }
      return alike;
    };
    return [
      ...known.flatMap(({ id, answers }, at): Double[] =>
        findAlike((_, n) => answers[n] ?? '', known.slice(0, at)).map((found) => [found.id, id]),
      ),
      ...others
        .filter(isMeant)
        .flatMap((fault): Double[] => findAlike(start(fault), known).map(({ id }) => [id, fault.id])),
    ];
  });
}
