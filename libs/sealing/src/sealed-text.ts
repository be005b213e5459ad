import { decrypt, encrypt } from './aes-gcm.js';
import { SealedUnreadable } from './sealed-unreadable.js';

/** Seals and opens text for one purpose each. A text opens only for the use it was sealed for. */
export interface TextSealer<Use extends string> {
  /** Returns `v1.<data>`: the nonce, the ciphertext and the tag in base64url. */
  seal(use: Use, text: string): string;
  /** Throws `SealedUnreadable` when the text was changed or is sealed for another owner or use. */
  open(use: Use, sealed: string): string;
}

/** Makes a sealer of an owner's key (32 bytes). */
export const textSealer = <Use extends string>(key: Buffer, owner: string): TextSealer<Use> => ({
  seal: (use, text) =>
    prefix + encrypt(Buffer.from(text), key, contextOf(use, owner)).toString('base64url'),
  open(use, sealed) {
    if (!sealed.startsWith(prefix))
      throw new SealedUnreadable('sealed value', 'it does not have the form v1.<data>');
    const data = Buffer.from(sealed.slice(prefix.length), 'base64url');
    const text = decrypt(data, key, contextOf(use, owner));
    if (text === undefined)
      throw new SealedUnreadable(
        'sealed value',
        `it was truncated or altered after it was sealed, or it is not of ${owner}, sealed as ${use}`,
      );
    return text.toString();
  },
});

const prefix = 'v1.';
const contextOf = (use: string, owner: string): string => `${prefix}${use}.${owner}`;
