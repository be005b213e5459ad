import { BACKWARDS, END } from '@eventstore/db-client';
import { streamPrefix, type Position } from '@refledger/contracts';
import type { LoggedEvent } from '../../event-log.js';
import { asEventLogError, mayMeanNoRecord } from '../client-errors.js';
import type { Connection } from '../connection.js';
import { readAllFrom, type AllReadOptions } from './read-from-node.js';
import type { Node } from '../node.js';
import { eventOf, esdbPosition } from './recorded-event.js';

/**
 * Looks up the event at a position. The answer that there is none stops event processors and
 * cancels deliveries, so it is never based on an error or on a node that may be behind.
 */
export const lookUp = async (
  connection: Connection,
  position: Position,
  options: AllReadOptions,
): Promise<LoggedEvent | undefined> => {
  try {
    return await connection.withLeader(async (node) => {
      const found = await direct(node, position, options);
      if (found !== undefined) return found;
      await connection.prove(node);
      return await fromEnd(node, BigInt(position), options);
    });
  } catch (error) {
    throw asEventLogError(error, connection.hosts);
  }
};

/**
 * Reads at the position. Undefined when this found no event: the server may refuse a position
 * without a record.
 */
const direct = async (
  node: Node,
  position: Position,
  options: AllReadOptions,
): Promise<LoggedEvent | undefined> => {
  try {
    const from = { fromPosition: esdbPosition(position), maxCount: 1 };
    for await (const [found] of readAllFrom(node, from, options)) {
      if (found?.event?.position.commit === BigInt(position)) return eventOf(found, streamPrefix);
    }
  } catch (error) {
    if (!mayMeanNoRecord(error)) throw error;
  }
  return undefined;
};

/**
 * Reads back from the end, until a record at or before the position shows whether an event is
 * there.
 */
const fromEnd = async (
  node: Node,
  commit: bigint,
  options: AllReadOptions,
): Promise<LoggedEvent | undefined> => {
  const from = { fromPosition: END, direction: BACKWARDS } as const;
  for await (const batch of readAllFrom(node, from, options)) {
    const found = batch.find(({ event }) => event !== undefined && event.position.commit <= commit);
    if (found !== undefined)
      return found.event?.position.commit === commit ? eventOf(found, streamPrefix) : undefined;
  }
  return undefined;
};
