import type { Checkpoint } from '@refledger/contracts';
import type { KeyOwner, KeyRow } from '@refledger/key-store';

/** What a key store in memory has committed. It outlives the handles that use it. */
export class CommittedKeys {
  readonly rows = new Map<KeyOwner, KeyRow>();
  checkpoint: Checkpoint | undefined;

  constructor(readonly id: string) {}
}
