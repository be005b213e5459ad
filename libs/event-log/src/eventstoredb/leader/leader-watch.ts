import { setTimeout as sleep } from 'node:timers/promises';
import { BACKWARDS, END } from '@eventstore/db-client';
import { readAllFrom } from '../reading/read-from-node.js';
import type { Node } from '../node.js';

/** How often the leader is asked for a sign of life, and how quickly it has to respond. */
const intervalMs = 1_000;
const responseTimeoutMs = 1_500;
/** How often the other nodes are asked while the leader is silent. */
const doubtPauseMs = 250;

/** The callbacks of the watch. */
interface WatchedConnection {
  failed(node: Node, error: unknown): void;
  doubt(node: Node): Promise<void>;
}

/**
 * Asks a leader regularly for its last record, until the connection leaves it. While it is silent,
 * asks the other nodes who leads: a suspended node closes no connection, and the client's own
 * keepalive notices only after 20 s.
 */
export const watchLeader = async (node: Node, connection: WatchedConnection): Promise<void> => {
  while (!node.left.aborted) {
    await wait(intervalMs, node.left);
    if (node.left.aborted) return;
    const beat = askOnce(node, connection);
    await Promise.race([beat.over, wait(responseTimeoutMs, node.left)]);
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
 * Resolves once the node has responded or the call has failed; a failure is reported to the
 * connection.
 */
const askOnce = (node: Node, connection: WatchedConnection): Beat => {
  let isOver = false;
  const over = readOne(node)
    .catch((error: unknown) => connection.failed(node, error))
    .then(() => void (isOver = true));
  return { over, isOver: () => isOver };
};

/** Has no time limit: it waits for a silent node, until another node leads. */
const readOne = async (node: Node): Promise<void> => {
  const options = { fromPosition: END, direction: BACKWARDS, maxCount: 1 } as const;
  for await (const _ of readAllFrom(node, options, { size: 1 })) return;
};

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
