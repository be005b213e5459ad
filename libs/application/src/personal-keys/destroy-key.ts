import { accountOf } from '@refledger/contracts';
import type { KeyStore } from '@refledger/key-store';
import type { ErasedEvent } from './erased-event.js';

/**
 * Destroys the key of an erased affiliate permanently. Repeating it changes nothing. `erasedAt` is the
 * time now (RFC 3339).
 */
export const destroyKey = (
  keys: Pick<KeyStore, 'destroy'>,
  event: ErasedEvent,
  erasedAt: string,
): Promise<void> =>
  keys.destroy(event.affiliateId, {
    accountId: accountOf(event),
    eventId: event.id,
    position: event.position,
    erasedAt,
  });
