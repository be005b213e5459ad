import { readFile } from 'node:fs/promises';
import type { DataDirectory } from '@refledger/engines';
import { messageOf } from '@refledger/event-log';
import { openKeyReader } from '@refledger/key-store';
import { newSearchTerms } from '@refledger/personal-data';
import { decodeSecretsKey } from '@refledger/platform';
import type { MakeTerms } from '@refledger/projections';
import { openSecretBox } from '@refledger/sealing';

/** Makes the terms of `affiliate_search`, which opens personal values. */
export interface OpenTerms {
  readonly make: MakeTerms;
  close(): Promise<void>;
}

/** The terms of `affiliate_search` cannot be made: keys are missing, or do not open. */
export class TermsUnavailable extends Error {
  constructor(cause: unknown) {
    super(`its search terms cannot be made: ${messageOf(cause)}`, { cause });
    this.name = 'TermsUnavailable';
  }
}

/** Opens the keys when the first terms are made. Then errors are `TermsUnavailable`. */
export const openTermsLate = (open: () => Promise<OpenTerms>): OpenTerms => {
  let opening: Promise<OpenTerms> | undefined;
  return {
    make: async (affiliates) => {
      try {
        return await (await (opening ??= open())).make(affiliates);
      } catch (error) {
        throw new TermsUnavailable(error);
      }
    },
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
};

interface KeyStorePlace {
  readonly url: string;
  readonly dataDir: string;
  /** SECRETS_KEY, or the key in a data directory. */
  readonly secretsKeys: () => Promise<readonly Buffer[]>;
}

/** Opens the key store to make terms. */
export const openTerms = async ({
  url,
  dataDir,
  secretsKeys,
}: KeyStorePlace): Promise<OpenTerms> => {
  const box = openSecretBox(await secretsKeys());
  const keys = await openKeyReader(url, { dataDir });
  return { make: newSearchTerms(keys, box), close: () => keys.close() };
};

/** The key of a data directory that the service made for itself. */
export const ownSecretsKey = async ({
  secretsKey,
}: Pick<DataDirectory, 'secretsKey'>): Promise<readonly Buffer[]> => {
  const key = decodeSecretsKey((await readFile(secretsKey, 'utf8')).trim());
  if (key === undefined)
    throw new Error(
      `${secretsKey} does not contain 32 bytes in base64. Restore the original file.`,
    );
  return [key];
};
