import {
  publicEventId,
  type AccountId,
  type Change,
  type RecordedEvent,
} from '@refledger/contracts';
import type { EventChanges } from '@refledger/domain';
import { shownActor, type KeyNames } from './shown-actor.js';

/** The changes that an event made, with personal values in the clear. */
export interface OpenChanges extends EventChanges {
  /** Whether the record's person was erased, so that every personal value is shown as null. */
  readonly isErased?: boolean;
}

/** A change to a record, with the record after it if that was asked for. */
export interface RecordChange extends OpenChanges {
  readonly event: RecordedEvent;
  readonly record: Change['record'];
}

/** Returns a change as the API shows it to the record's account. */
export const shownChange = (
  { event, reason, changes, isErased = false, record }: RecordChange,
  account: AccountId,
  keys: KeyNames,
): Change => ({
  id: publicEventId(event.id),
  object: 'change',
  type: event.type,
  revision: event.revision,
  position: event.position,
  at: event.metadata.recorded_at,
  actor: shownActor(event.metadata.actor, account, keys),
  request_id: event.metadata.request_id,
  reason,
  changes: [...changes],
  ...(isErased && { erased: true }),
  ...(record && { record }),
});
