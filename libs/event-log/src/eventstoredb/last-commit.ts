import { BACKWARDS, END, type AllStreamResolvedEvent } from '@eventstore/db-client';
import { gatheredFrom, readAhead, type ClientStream } from './gathered.js';
import type { Node } from './node.js';
import { InactivityTimer } from './inactivity-timer.js';
import { isOurs } from './recorded-event.js';

/** Commit position of the last of Refledger's events on a node; -1 when it has none. */
export const lastCommit = async (node: Node, patienceMs: number): Promise<bigint> => {
  // it is usually among the last few records
  for (const maxCount of [8, Number.MAX_SAFE_INTEGER]) {
    const options = {
      fromPosition: END,
      direction: BACKWARDS,
      maxCount,
      requiresLeader: true,
    } as const;
    const open = () =>
      node.client.readAll(options, readAhead) as unknown as ClientStream<AllStreamResolvedEvent>;
    const read = gatheredFrom(node, open, { size: 8, patience: new InactivityTimer(patienceMs) });
    for await (const batch of read) {
      const last = batch.find(isOurs);
      if (last?.event?.position !== undefined) return last.event.position.commit;
    }
  }
  return -1n;
};
