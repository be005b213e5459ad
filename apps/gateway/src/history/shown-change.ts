import { publicEventId, type AccountId, type Change } from '@refledger/contracts';
import type { PastChange } from '@refledger/application';
import type { KeyNames } from '../accounts/key-names.js';
import { shownActor } from './shown-actor.js';

/** Returns a change as the API shows it to the record's account. */
export const shownChange = (
  { event, reason, changes, record }: PastChange,
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
  ...(record && { record }),
});
