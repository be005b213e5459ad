import {
  eventIdOf,
  eventSchemaVersion,
  toPosition,
  type AccountId,
  type DomainEvent,
  type Position,
  type RecordedEvent,
  type StreamName,
} from '@refledger/contracts';
import { decodeEvent } from '@refledger/event-log';
import type { Document } from '@refledger/read-store';
import type { Projection } from '../src/projection.js';

export interface HistoryEvent {
  readonly stream: StreamName;
  readonly event: DomainEvent;
  /** The next event belongs to the same append. */
  readonly continues?: boolean;
}

/**
 * Records events of one account as in a log: the nth event gets position n, a minute after the
 * previous one.
 */
export const record = (
  events: readonly HistoryEvent[],
  accountId: AccountId = 'acct_1',
): readonly RecordedEvent[] => {
  const revisions = new Map<string, number>();
  return events.map(({ stream, event, continues }, index) => {
    const revision = (revisions.get(stream) ?? -1) + 1;
    revisions.set(stream, revision);
    return decodeEvent({
      ...event,
      id: eventIdOf('00000000-0000-4000-8000-000000000000', stream, 0, revision),
      stream,
      revision,
      position: position(index + 1),
      metadata: {
        account_id: accountId,
        actor: 'key_1',
        request_id: 'r',
        schema: eventSchemaVersion,
        recorded_at: minute(index + 1),
        ...(continues === true && { append_continues: true }),
      },
    });
  });
};

export const minute = (n: number): string =>
  new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString();
export const position = (n: number): Position => toPosition(String(n)) as Position;

/** The documents of one collection after all events: the projector's work, without a store. */
export const documentsOf = (
  projection: Projection,
  events: readonly RecordedEvent[],
): ReadonlyMap<string, Document | null> => {
  const documents = new Map<string, Document | null>();
  for (const event of events) {
    for (const key of projection.keysOf(event)) {
      const before = documents.get(key.id);
      if (before === null) continue;
      const after = projection.evolve(before, event, key);
      if (after !== undefined) documents.set(key.id, after);
    }
  }
  return documents;
};
