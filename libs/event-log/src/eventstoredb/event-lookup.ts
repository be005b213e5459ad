import {
  BACKWARDS,
  END,
  type AllStreamResolvedEvent,
  type ReadAllOptions,
} from '@eventstore/db-client';
import { streamPrefix, type Position } from '@refledger/contracts';
import type { LoggedEvent } from '../event-log.js';
import { asEventLogError, mayBeNoRecord } from './client-errors.js';
import type { Connection } from './connection.js';
import { gatheredFrom, readAhead, type ClientStream } from './gathered.js';
import type { Node } from './node.js';
import { InactivityTimer } from './inactivity-timer.js';
import { eventOf, placeAt } from './recorded-event.js';

/**
 * Looks up the event at a position. The answer that there is none stops event processors and
 * cancels deliveries, so it is never based on an error or on a node that may be behind.
 */
export class EventLookup {
  constructor(
    private readonly connection: Connection,
    private readonly patienceMs: number,
  ) {}

  async at(position: Position, signal: AbortSignal): Promise<LoggedEvent | undefined> {
    try {
      return await this.connection.ofLeader(async (node) => {
        const commit = BigInt(position);
        const found = await this.direct(node, position, signal);
        if (found !== undefined) return found;
        await this.connection.prove(node);
        return await this.fromEnd(node, commit, signal);
      });
    } catch (error) {
      throw asEventLogError(error, this.connection.hosts);
    }
  }

  /**
   * Reads at the position. Undefined when this found no event: the server may refuse a position
   * without a record.
   */
  private async direct(
    node: Node,
    position: Position,
    signal: AbortSignal,
  ): Promise<LoggedEvent | undefined> {
    try {
      const options = { fromPosition: placeAt(position), maxCount: 1 };
      for await (const [found] of this.read(node, options, signal)) {
        if (found?.event?.position.commit === BigInt(position)) return eventOf(found, streamPrefix);
      }
    } catch (error) {
      if (!mayBeNoRecord(error)) throw error;
    }
    return undefined;
  }

  /**
   * Reads back from the end, until a record at or before the position shows whether an event is
   * there.
   */
  private async fromEnd(
    node: Node,
    commit: bigint,
    signal: AbortSignal,
  ): Promise<LoggedEvent | undefined> {
    const options = { fromPosition: END, direction: BACKWARDS } as const;
    for await (const batch of this.read(node, options, signal)) {
      const found = batch.find(
        ({ event }) => event !== undefined && event.position.commit <= commit,
      );
      if (found !== undefined)
        return found.event?.position.commit === commit ? eventOf(found, streamPrefix) : undefined;
    }
    return undefined;
  }

  private read(
    node: Node,
    options: ReadAllOptions,
    signal: AbortSignal,
  ): AsyncGenerator<readonly AllStreamResolvedEvent[]> {
    const open = () =>
      node.client.readAll(
        { ...options, requiresLeader: true },
        readAhead,
      ) as unknown as ClientStream<AllStreamResolvedEvent>;
    return gatheredFrom(node, open, {
      size: 256,
      patience: new InactivityTimer(this.patienceMs),
      signal,
    });
  }
}
