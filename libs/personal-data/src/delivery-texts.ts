import {
  publicAggregateOf,
  type AccountId,
  type AffiliateId,
  type DeliveryTrigger,
  type PublicEventType,
} from '@refledger/contracts';
import type { KeyReader } from '@refledger/key-store';
import type { SecretBox } from '@refledger/sealing';
import type { AccountKeyring } from './account-keyring.js';
import {
  accountDeliveryKey,
  affiliateDeliveryKey,
  erasedDeliveryKey,
  type DeliveryKey,
} from './delivery-key.js';
import { openedKey } from './opened-key.js';

/** What says whose key seals the texts of a delivery. */
export interface DeliveryOwner {
  readonly accountId: AccountId;
  readonly eventType: PublicEventType;
  readonly objectId: string;
  readonly trigger: DeliveryTrigger;
}

type OwnedBody = DeliveryOwner & { readonly body: string | null };

/**
 * Seals and opens the bodies and response excerpts of deliveries. Those of an affiliate's events have
 * its key. Of others, only the excerpts are sealed, with the keys of the account. Every method throws
 * `unavailable` if the key store lacks a key, or if something does not open.
 */
export class DeliveryTexts {
  constructor(
    private readonly store: Pick<KeyReader, 'getMany'>,
    private readonly box: SecretBox,
    private readonly accounts: Pick<AccountKeyring, 'ofAccount'>,
  ) {}

  /**
   * Seals the bodies of deliveries to store, with their keys in one call. The body of an erased
   * affiliate's delivery becomes null.
   */
  async sealBodies<D extends OwnedBody>(deliveries: readonly D[]): Promise<readonly D[]> {
    const ids = new Set(
      deliveries.flatMap((one) => (one.body === null ? [] : (affiliateOf(one) ?? []))),
    );
    if (ids.size === 0) return deliveries;
    const stored = await this.store.getMany([...ids]);
    const keys = new Map([...ids].map((id) => [id, openedKey(this.box, id, stored.get(id))]));
    return deliveries.map((one) => {
      const id = affiliateOf(one);
      if (id === undefined || one.body === null) return one;
      return { ...one, body: keys.get(id)?.seal('body', one.body) ?? null };
    });
  }

  /** The key of a delivery, for one attempt or one response. */
  async keyOf(delivery: DeliveryOwner): Promise<DeliveryKey> {
    const { accountId } = delivery;
    const id = affiliateOf(delivery);
    if (id === undefined)
      return accountDeliveryKey(accountId, () => this.accounts.ofAccount(accountId));
    const key = openedKey(this.box, id, (await this.store.getMany([id])).get(id));
    return key === undefined ? erasedDeliveryKey : affiliateDeliveryKey(id, key);
  }
}

/** The affiliate that a delivery is about. The record of a test is made up. */
const affiliateOf = ({ eventType, trigger, objectId }: DeliveryOwner): AffiliateId | undefined =>
  trigger !== 'test' && publicAggregateOf(eventType) === 'affiliate'
    ? // a decoding boundary: the object of an affiliate's event is the affiliate
      (objectId as AffiliateId)
    : undefined;
