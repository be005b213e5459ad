import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/**
 * Encrypts secrets for storage (AES-256-GCM). A sealed value has the form `v1.<key id>.<data>`,
 * where the data is the nonce, the ciphertext and the tag in base64url.
 */
export interface SecretBox {
  /** Seals under the first key. Sealing the same secret twice gives two different values. */
  seal(secret: string): string;
  /**
   * Returns the secret. Throws `SecretUnreadable` when none of the keys sealed it or it was
   * changed.
   */
  open(sealed: string): string;
  /**
   * Whether the box has the key that sealed this value. Much cheaper than `open`, but does not
   * detect changes to the value.
   */
  hasKeyOf(sealed: string): boolean;
}

/**
 * A sealed value that can't be opened. The message never contains any part of the secret, the value
 * or a key, except the key's id.
 */
export class SecretUnreadable extends Error {
  constructor(detail: string) {
    super(`a sealed secret cannot be opened: ${detail}`);
    this.name = 'SecretUnreadable';
  }
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
  return {
    seal: (secret) =>
      `v1.${sealingId}.${encrypt(secret, sealing, sealingId).toString('base64url')}`,
    hasKeyOf: (sealed) => byId.has(partsOf(sealed)?.id ?? ''),
    open(sealed) {
      const parts = partsOf(sealed);
      if (parts === undefined)
        throw new SecretUnreadable('it does not have the form v1.<key id>.<data>');
      const { id, encoded } = parts;
      const key = byId.get(id);
      if (key === undefined)
        throw new SecretUnreadable(`SECRETS_KEY lacks its key ${JSON.stringify(id.slice(0, 40))}`);
      return decrypt(Buffer.from(encoded, 'base64url'), key, id);
    },
  };
}

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Identifies a key without revealing it: a truncated hash of a fully random key. */
const keyId = (key: Buffer): string =>
  createHash('sha256').update('refledger secrets key\0').update(key).digest('hex').slice(0, 16);

/** Undefined when the value does not have the form of a sealed value. */
const partsOf = (sealed: string): { readonly id: string; readonly encoded: string } | undefined => {
  const [version, id = '', encoded = '', ...rest] = sealed.split('.');
  return version !== 'v1' || encoded === '' || rest.length > 0 ? undefined : { id, encoded };
};

function encrypt(secret: string, key: Buffer, id: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes }).setAAD(
    Buffer.from(`v1.${id}`),
  );
  return Buffer.concat([
    nonce,
    sealing.update(secret, 'utf8'),
    sealing.final(),
    sealing.getAuthTag(),
  ]);
}

function decrypt(data: Buffer, key: Buffer, id: string): string {
  if (data.length < nonceBytes + tagBytes) throw new SecretUnreadable('it is truncated');
  const opening = createDecipheriv(cipher, key, data.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
    .setAAD(Buffer.from(`v1.${id}`))
    .setAuthTag(data.subarray(-tagBytes));
  const text = opening.update(data.subarray(nonceBytes, -tagBytes));
  try {
    return Buffer.concat([text, opening.final()]).toString('utf8');
  } catch {
    throw new SecretUnreadable('it was altered after it was sealed');
  }
}
