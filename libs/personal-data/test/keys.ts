import { randomBytes, randomUUID } from 'node:crypto';
import {
  derivedId,
  toPosition,
  type AffiliateFields,
  type AffiliateId,
} from '@refledger/contracts';
import { affiliateDecider, sealedEvents, type AffiliateState } from '@refledger/domain';
import { affiliateFields } from '@refledger/domain/testing';
import type { KeyOwner, KeyStore } from '@refledger/key-store';
import { openSecretBox, type PersonalKey } from '@refledger/sealing';
import { present } from '@refledger/testing/present';
import { SimulatedEngines, systemClock } from '@refledger/simulation';
import { DeliveryTexts } from '../src/delivery-texts.js';
import { Keyring } from '../src/keyring.js';
import { PersonalData, sealValues } from '../src/personal-data.js';
import { newSearchTerms } from '../src/hashed-terms.js';

export const accountId = derivedId('account', 'one');
export const at = '2026-01-01T00:00:00.000Z';

/** Keys in memory, which count the calls that read them. */
export const newKeys = (secrets: readonly Buffer[] = [randomBytes(32)]) => {
  const store: KeyStore = new SimulatedEngines(systemClock).openKeys('keys', { create: true });
  const box = openSecretBox(secrets);
  const reads: (readonly KeyOwner[])[] = [];
  const counted = {
    put: store.put.bind(store),
    getMany: (owners: readonly KeyOwner[]) => {
      reads.push(owners);
      return store.getMany(owners);
    },
  };
  const keyring = new Keyring(counted, box);
  return {
    store,
    secrets,
    reads,
    keyring,
    personalData: new PersonalData(counted, box),
    texts: new DeliveryTexts(counted, box, keyring),
    makeTerms: newSearchTerms(counted, box),
    /** The same keys, as a process with other secrets has them. */
    under: (...others: readonly Buffer[]) => ({
      keyring: new Keyring(store, openSecretBox(others)),
      personalData: new PersonalData(store, openSecretBox(others)),
    }),
  };
};
export type Keys = ReturnType<typeof newKeys>;

/** Makes the key of a new affiliate. */
export const createKey = async (
  { keyring }: Pick<Keys, 'keyring'>,
  affiliateId: AffiliateId,
): Promise<PersonalKey> =>
  present(
    await keyring.createForAffiliate({ accountId, affiliateId, claim: `refledger.claim-1`, at }),
  );

/** Destroys the key of an affiliate, as its erasure does. */
export const destroyKey = ({ store }: Pick<Keys, 'store'>, affiliateId: AffiliateId) =>
  store.destroy(affiliateId, {
    accountId,
    eventId: randomUUID(),
    position: present(toPosition('7')),
    erasedAt: at,
  });

/** Returns an affiliate that has just been created, with its values sealed with its key. */
export const sealedAffiliate = (
  affiliate_id: AffiliateId,
  key: PersonalKey,
  fields: Partial<AffiliateFields> = {},
): Extract<AffiliateState, { kind: 'present' | 'deleted' }> => {
  const after = { ...affiliateFields, ...fields };
  const [event] = sealedEvents(
    [{ type: 'affiliate.created', data: { affiliate_id, program_id: 'prog_a', after } }],
    affiliateDecider.initial,
    {
      seal: (values) => sealValues(key, values),
      hashes: { email: 'hash', external_id: null },
    },
  );
  if (event === undefined) throw new TypeError('no event was sealed');
  const state = affiliateDecider.evolve(affiliateDecider.initial, event, {
    revision: 0,
    recordedAt: at,
  });
  if (state.kind !== 'present') throw new TypeError('no affiliate was folded');
  return state;
};
