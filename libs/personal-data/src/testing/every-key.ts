// Test double of a key store in which everyone has a key, the same one in each process.
import { createHash } from 'node:crypto';
import { isId, type AffiliateId, type EventId, type Position } from '@refledger/contracts';
import type { KeyOwner, KeyReader, StoredKey } from '@refledger/key-store';
import { openSecretBox } from '@refledger/sealing';
import { AccountKeyring } from '../account-keyring.js';
import { DeliveryTexts } from '../delivery-texts.js';

export class EveryKey implements Pick<KeyReader, 'getMany'> {
  private readonly box = openSecretBox([Buffer.alloc(32, 2)]);
  /** Seals and opens with these keys. */
  readonly texts = new DeliveryTexts(this, this.box, new AccountKeyring(this, this.box));
  readonly erased = new Set<AffiliateId>();
  readonly lost = new Set<KeyOwner>();
  /** The owners in each call. */
  readonly reads: (readonly KeyOwner[])[] = [];

  getMany(owners: readonly KeyOwner[]): Promise<ReadonlyMap<KeyOwner, StoredKey>> {
    this.reads.push(owners);
    const found = owners.filter((owner) => !this.lost.has(owner));
    return Promise.resolve(new Map(found.map((owner) => [owner, this.storedKey(owner)])));
  }

  private storedKey(owner: KeyOwner): StoredKey {
    if (isId('account', owner)) return { kind: 'key', key: this.wrapped('sha512', owner) };
    if (!this.erased.has(owner)) return { kind: 'key', key: this.wrapped('sha256', owner) };
    return {
      kind: 'erased',
      eventId: '3f1c6a52-0000-4000-8000-000000000001' satisfies EventId,
      position: '1' as Position,
      erasedAt: '2026-01-01T00:00:00.000Z',
    };
  }

  private wrapped(algorithm: 'sha256' | 'sha512', owner: KeyOwner): string {
    return this.box.wrap(createHash(algorithm).update(owner).digest(), owner);
  }
}
