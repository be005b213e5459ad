import { setMaxListeners } from 'node:events';
import type { EventStoreDBClient } from '@eventstore/db-client';
import { unavailable } from '../event-log-error.js';

/** The connection to one node. Once it is left, all calls to the node end with an error. */
export class Node {
  /** The highest commit position of a Refledger event that this node is known to have. */
  highestKnown = -1n;
  private readonly leaving = new AbortController();

  constructor(
    readonly address: string,
    readonly client: EventStoreDBClient,
  ) {
    // Each call listens to the signal while it runs.
    setMaxListeners(0, this.leaving.signal);
    // The client would look for another node by itself, and reject a promise that no one handles
    // when it finds none. `Connection` looks for the node instead.
    client['handleError'] = () => Promise.resolve();
  }

  /** Aborts when the node is left. */
  get left(): AbortSignal {
    return this.leaving.signal;
  }

  leave(why: string): void {
    if (this.left.aborted) return;
    this.leaving.abort(unavailable(why));
    // not awaited: the channel exists or opens immediately
    this.client['getChannel']().then(
      (channel) => channel.close(),
      () => undefined,
    );
  }
}
