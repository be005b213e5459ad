import { createHash } from 'node:crypto';
import { decrypt, encrypt, keyBytes } from './aes-gcm.js';
import { SealedUnreadable } from './sealed-unreadable.js';

/**
 * Encrypts secrets and keys for storage (AES-256-GCM) under the keys of `SECRETS_KEY`. A sealed
 * value has the form `v1.<key id>.<data>`, where the data is the nonce, the ciphertext and the tag
 * in base64url.
 */
export interface SecretBox {
  /** Seals under the first key. Sealing the same secret twice gives two different values. */
  seal(secret: string): string;
  /**
   * Returns the secret. Throws `SealedUnreadable` when none of the keys sealed it or it was
   * changed.
   */
  open(sealed: string): string;
  /** Seals a key of this owner. */
  wrap(key: Buffer, owner: string): string;
  /** Returns a wrapped key. Throws like `open`, also when it is another owner's. */
  unwrap(wrapped: string, owner: string): Buffer;
  /**
   * Wraps a key again under the first key; undefined if it is wrapped under that already. Throws
   * like `unwrap`.
   */
  rewrap(wrapped: string, owner: string): string | undefined;
  /**
   * Whether the box has the key that sealed this value. Much cheaper than `open`, but does not
   * detect changes to the value.
   */
  hasKeyOf(sealed: string): boolean;
}

/**
 * Makes a box of these keys (32 bytes each). The first key seals, and all keys open. To rotate, put
 * a new key first, and remove the old one once nothing is sealed under it.
 */
export function openSecretBox(keys: readonly Buffer[]): SecretBox {
  const [sealing] = keys;
  if (sealing === undefined) throw new Error('a secret box needs at least one key');
  if (keys.some((key) => key.length !== keyBytes))
    throw new Error(`every secrets key must have ${keyBytes} bytes`);
  const byId = new Map(keys.map((key) => [keyId(key), key]));
  const sealingId = keyId(sealing);
  const wrap = (key: Buffer, owner: string): string => {
    const data = encrypt(key, sealing, `v1.${sealingId}.${owner}`);
    return `v1.${sealingId}.${data.toString('base64url')}`;
  };
  const unwrap = (wrapped: string, owner: string): Buffer => {
    const { id, key, data } = findKey(byId, wrapped, 'wrapped key');
    const unwrapped = decrypt(data, key, `v1.${id}.${owner}`);
    if (unwrapped === undefined)
      throw new SealedUnreadable('wrapped key', `${changed}, or it is not of ${owner}`);
    return unwrapped;
  };
  return {
    seal: (secret) => {
      const data = encrypt(Buffer.from(secret), sealing, `v1.${sealingId}`);
      return `v1.${sealingId}.${data.toString('base64url')}`;
    },
    open(sealed) {
      const { id, key, data } = findKey(byId, sealed, 'sealed secret');
      const secret = decrypt(data, key, `v1.${id}`);
      if (secret === undefined) throw new SealedUnreadable('sealed secret', changed);
      return secret.toString();
    },
    wrap,
    unwrap,
    rewrap(wrapped, owner) {
      const key = unwrap(wrapped, owner);
      return partsOf(wrapped)?.id === sealingId ? undefined : wrap(key, owner);
    },
    hasKeyOf: (sealed) => byId.has(partsOf(sealed)?.id ?? ''),
  };
}

const changed = 'it was truncated or altered after it was sealed';

/** Identifies a key without revealing it: a truncated hash of a fully random key. */
const keyId = (key: Buffer): string =>
  createHash('sha256').update('refledger secrets key\0').update(key).digest('hex').slice(0, 16);

/** Returns the key that sealed a value, and the data to decrypt. */
const findKey = (
  keys: ReadonlyMap<string, Buffer>,
  sealed: string,
  what: 'sealed secret' | 'wrapped key',
): { readonly id: string; readonly key: Buffer; readonly data: Buffer } => {
  const parts = partsOf(sealed);
  if (parts === undefined)
    throw new SealedUnreadable(what, 'it does not have the form v1.<key id>.<data>');
  const { id, encoded } = parts;
  const key = keys.get(id);
  if (key === undefined)
    throw new SealedUnreadable(
      what,
      `SECRETS_KEY lacks its key ${JSON.stringify(id.slice(0, 40))}`,
    );
  return { id, key, data: Buffer.from(encoded, 'base64url') };
};

/** Undefined when the value does not have the form of a sealed value. */
const partsOf = (sealed: string): { readonly id: string; readonly encoded: string } | undefined => {
  const [version, id = '', encoded = '', ...rest] = sealed.split('.');
  return version !== 'v1' || encoded === '' || rest.length > 0 ? undefined : { id, encoded };
};
