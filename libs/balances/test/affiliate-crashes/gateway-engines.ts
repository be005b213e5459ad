import type { AffiliateId } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import type { KeyStore } from '@refledger/key-store';
import { PersonalData } from '@refledger/personal-data';
import type { SecretBox } from '@refledger/sealing';

export interface GatewayEngines {
  readonly log: EventLog;
  readonly keys: KeyStore;
  readonly box: SecretBox;
}

/** How many of these sealed texts open with what the key store has. */
export const openable = async (
  { keys, box }: Pick<GatewayEngines, 'keys' | 'box'>,
  id: AffiliateId,
  sealed: readonly string[],
): Promise<number> =>
  (await new PersonalData(keys, box).openValues(id, new Set(sealed)))?.size ?? 0;
