import type { EventStoreDBClient, ResolvedEvent } from '@eventstore/db-client';
import type { Connection } from '../connection.js';
import type { Node } from '../node.js';
import { readBatchesFrom, type BatchOptions, type ClientStream } from './read-from-node.js';
import { isRefledgerEvent } from './recorded-event.js';

/**
 * Reads a stream from the leader in batches. A node that does not lead names the leader, and the
 * read is then opened there, unless it has already yielded a batch.
 */
export async function* readBatches<T extends Pick<ResolvedEvent, 'event'>>(
  connection: Connection,
  open: (client: EventStoreDBClient) => ClientStream<T>,
  options: BatchOptions,
): AsyncGenerator<readonly T[]> {
  let hasBegun = false;
  for (let attempt = 1; ; attempt += 1) {
    const node = await connection.node();
    try {
      for await (const batch of readBatchesFrom(node, () => open(node.client), options)) {
        hasBegun = true;
        noteProgress(connection, node, batch);
        yield batch;
      }
      return;
    } catch (error) {
      if (hasBegun || options.signal?.aborted === true) {
        connection.failed(node, error);
        throw error;
      }
      await connection.beforeRetry(node, error, attempt);
    }
  }
}

/** Records the newest event of a batch: the last one, or the first one when reading backward. */
const noteProgress = (
  connection: Connection,
  node: Node,
  batch: readonly Pick<ResolvedEvent, 'event'>[],
): void => {
  for (const found of [batch.find(isRefledgerEvent), batch.findLast(isRefledgerEvent)]) {
    const commit = found?.event?.position?.commit;
    if (commit !== undefined) connection.recordCommit(node, commit);
  }
};
