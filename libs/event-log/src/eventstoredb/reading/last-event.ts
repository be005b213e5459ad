import { BACKWARDS, END } from '@eventstore/db-client';
import { streamPrefix } from '@refledger/contracts';
import type { LoggedEvent } from '../../event-log.js';
import type { Node } from '../node.js';
import { readAllFrom } from './read-from-node.js';
import { eventOf } from './recorded-event.js';

/**
 * The last of Refledger's events on a node, before whatever the system and other programs have
 * written since.
 */
export const lastEvent = async (
  node: Node,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<LoggedEvent | undefined> => {
  // it is usually among the last few records
  for (const maxCount of [8, Number.MAX_SAFE_INTEGER]) {
    const options = { fromPosition: END, direction: BACKWARDS, maxCount } as const;
    for await (const batch of readAllFrom(node, options, { size: 8, timeoutMs, signal })) {
      const [last] = batch.flatMap((found) => eventOf(found, streamPrefix) ?? []);
      if (last !== undefined) return last;
    }
  }
  return undefined;
};

/** Commit position of the last of Refledger's events on a node; -1 when it has none. */
export const lastCommit = async (node: Node, timeoutMs: number): Promise<bigint> =>
  BigInt((await lastEvent(node, timeoutMs))?.position ?? -1);
