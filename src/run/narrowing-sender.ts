import type { Exchange, HttpRequest, RequestChannel } from '../http/exchange.js';
import { type EvidenceKeeper, narrowingPurpose } from './evidence-keeper.js';
import type { Replay } from './replay.js';

/** Sends requests one after another, each on a new connection, unless it says otherwise: so nothing but the request decides. */
export interface NarrowingSender {
  /**
   * @param requests several are sent at the same time
   * @param group the number of the group of failures, from 0
   * @param turn the number of the first request in the group, from 1
   */
  readonly send: (requests: readonly HttpRequest[], group: number, turn: number) => Promise<readonly Exchange[]>;
  /**
   * Keeps what was sent as evidence. Call it once, after the last request.
   *
   * @param sent by group @returns finds the id of an exchange
   */
  readonly keep: (sent: readonly (readonly Exchange[])[]) => (exchange: Exchange) => string | undefined;
}

export function createNarrowingSender(channel: RequestChannel, keeper: EvidenceKeeper): NarrowingSender {
  return {
    async send(requests) {
      if (requests.every(({ sent }) => sent !== 'on-the-connection-before')) channel.reconnect();
      return await Promise.all(requests.map((request) => channel.send(request)));
    },
    keep(sent) {
      const exchanges = sent.map((group) => new Map(group.map((exchange, n) => [String(n + 1), exchange])));
      keeper.keepCase({ id: narrowingPurpose }, [{ exchanges }]);
      return keeper.findId;
    },
  };
}

/** Answers with what was sent when the evidence was recorded. */
export function createReplayedNarrowingSender(replay: Replay): NarrowingSender {
  return {
    send: async (requests, group, turn) =>
      requests.map((request, n) =>
        replay.find({ case: narrowingPurpose, row: group, request: String(turn + n), attempt: 1 }, request),
      ),
    keep: () => replay.findId,
  };
}
