import { setTimeout as sleep } from 'node:timers/promises';
import { BACKWARDS, END, type AllStreamResolvedEvent } from '@eventstore/db-client';
import type { Connection } from './connection.js';
import { gatheredFrom, type ClientStream } from './gathered.js';
import type { Node } from './node.js';

/** How often the leader is asked for a sign of life, and how quickly it has to answer. */
const intervalMs = 1_000;
const answerMs = 1_500;
/** How often the other nodes are asked while the leader is silent. */
const doubtPauseMs = 250;

/**
 * Asks a leader regularly for its last record, until the connection leaves it. While it is silent,
 * asks the other nodes who leads: a suspended node closes no connection, and the client's own
 * keepalive notices only after 20 s.
 */
export const watchLeader = async (node: Node, connection: Connection): Promise<void> => {
  while (!node.left.aborted) {
    await wait(intervalMs, node.left);
    if (node.left.aborted) return;
    const beat = askOnce(node, connection);
    await Promise.race([beat.over, wait(answerMs, node.left)]);
    while (!beat.isOver() && !node.left.aborted) {
      await connection.doubt(node);
      await Promise.race([beat.over, wait(doubtPauseMs, node.left)]);
    }
  }
};

interface Beat {
  readonly over: Promise<void>;
  readonly isOver: () => boolean;
}

/**
 * Over once the node has answered or the call has failed; a failure is reported to the connection.
 */
const askOnce = (node: Node, connection: Connection): Beat => {
  let isOver = false;
  const over = readOne(node)
    .catch((error: unknown) => connection.failed(node, error))
    .then(() => void (isOver = true));
  return { over, isOver: () => isOver };
};

/** Has no time limit: a silent node is left when another one leads, or waited for. */
const readOne = async (node: Node): Promise<void> => {
  const options = {
    fromPosition: END,
    direction: BACKWARDS,
    maxCount: 1,
    requiresLeader: true,
  } as const;
  const open = () =>
    node.client.readAll(options) as unknown as ClientStream<AllStreamResolvedEvent>;
  for await (const _ of gatheredFrom(node, open, { size: 1, patience: undefined })) return;
};

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
