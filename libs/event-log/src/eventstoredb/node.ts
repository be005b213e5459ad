import { setMaxListeners } from 'node:events';
import type { EventStoreDBClient } from '@eventstore/db-client';
import { EventLogError } from '../event-log-error.js';

/** The connection to one node. Once it is left, all that was asked of it ends with an error. */
export class Node {
  /** How far this node is known to have come: the commit position of an event of Refledger's. */
  has = -1n;
  private readonly leaving = new AbortController();

  constructor(
    readonly address: string,
    readonly client: EventStoreDBClient,
  ) {
    // Each call listens to it while it goes on.
    setMaxListeners(0, this.leaving.signal);
    // The client would look for another node by itself, and would reject a promise that nobody
    // handles when it finds none. `Connection` looks for the node.
    client['handleError'] = () => Promise.resolve();
  }

  /** Aborts when the node is left. */
  get left(): AbortSignal {
    return this.leaving.signal;
  }

  leave(why: string): void {
    if (this.left.aborted) return;
    this.leaving.abort(new EventLogError({ kind: 'unavailable' }, why));
    // nothing to wait for: its channel is there or comes at once
    this.client['getChannel']().then(
      (channel) => channel.close(),
      () => undefined,
    );
  }
}
