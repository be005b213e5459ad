import { createCipheriv, createDecipheriv } from 'node:crypto';
import { nonceBytes, writeNonce } from './nonces.js';

/** The length of every key. */
export const keyBytes = 32;

/**
 * Encrypts with AES-256-GCM (NIST SP 800-38D) under a random nonce. Returns the nonce, the
 * ciphertext and the tag. `context` is authenticated but not part of the result.
 */
export const encrypt = (plain: Buffer, key: Buffer, context: string): Buffer => {
  const sealed = Buffer.allocUnsafe(nonceBytes + plain.length + tagBytes);
  writeNonce(sealed);
  const sealing = createCipheriv(cipher, key, sealed.subarray(0, nonceBytes), options).setAAD(
    Buffer.from(context),
  );
  sealed.set(sealing.update(plain), nonceBytes);
  sealing.final();
  sealed.set(sealing.getAuthTag(), nonceBytes + plain.length);
  return sealed;
};

/**
 * Decrypts what `encrypt` returned. Undefined if it was truncated or altered, or encrypted under
 * another key or context.
 */
export const decrypt = (sealed: Buffer, key: Buffer, context: string): Buffer | undefined => {
  if (sealed.length < nonceBytes + tagBytes) return undefined;
  const opening = createDecipheriv(cipher, key, sealed.subarray(0, nonceBytes), options)
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(-tagBytes));
  const plain = opening.update(sealed.subarray(nonceBytes, -tagBytes));
  try {
    opening.final();
  } catch {
    return undefined;
  }
  return plain;
};

const cipher = 'aes-256-gcm';
const tagBytes = 16;
const options = { authTagLength: tagBytes };
