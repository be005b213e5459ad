import { createDecipheriv } from 'node:crypto';

/** A text in a file that a key in the files opens. */
export interface OpenedText {
  readonly file: string;
  readonly owner: string;
  readonly text: string;
}

/**
 * Opens whatever somebody can open who has these files and `SECRETS_KEY`: looks for wrapped keys of
 * these owners and for sealed texts anywhere in the files, and tries every key on every text. Shares
 * no code with the service.
 */
export const openedTexts = (
  files: ReadonlyMap<string, Buffer>,
  secretsKey: Buffer,
  owners: readonly string[],
): OpenedText[] => {
  const contents = [...files].map(([file, bytes]) => [file, bytes.toString('latin1')] as const);
  const keys = unwrapped(contents.map(([, content]) => content).join('\n'), secretsKey, owners);
  return contents.flatMap(([file, content]) =>
    [...new Set(content.match(/v1\.[\w-]{38,}/g))].flatMap((sealed) =>
      keys.flatMap(({ owner, key }) =>
        uses.flatMap((use) => {
          const text = decrypted(sealed.slice('v1.'.length), key, `v1.${use}.${owner}`);
          return text === undefined ? [] : { file, owner, text: text.toString() };
        }),
      ),
    ),
  );
};

const uses = ['values', 'body', 'excerpt'];
const keyBytes = 32;

const unwrapped = (
  content: string,
  secretsKey: Buffer,
  owners: readonly string[],
): readonly { readonly owner: string; readonly key: Buffer }[] =>
  [...content.matchAll(/v1\.([\w-]+)\.([\w-]+)/g)].flatMap(([, id = '', data = '']) =>
    owners.flatMap((owner) =>
      // of an affiliate, and of an account, which has two; another column may follow
      [keyBytes, 2 * keyBytes].flatMap((length) => {
        const wrapped = data.slice(0, Math.ceil(((length + overhead) * 4) / 3));
        const key = decrypted(wrapped, secretsKey, `v1.${id}.${owner}`);
        return key === undefined ? [] : { owner, key: key.subarray(-keyBytes) };
      }),
    ),
  );

const nonceBytes = 12;
const tagBytes = 16;
const overhead = nonceBytes + tagBytes;

/** Decrypts the nonce, the ciphertext and the tag (AES-256-GCM); undefined if the key is not it. */
const decrypted = (data: string, key: Buffer, context: string): Buffer | undefined => {
  const bytes = Buffer.from(data, 'base64url');
  if (bytes.length < overhead) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes));
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-tagBytes));
  try {
    const start = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
    return Buffer.concat([start, decipher.final()]);
  } catch {
    return undefined;
  }
};
