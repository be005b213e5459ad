import { messageOf } from '@refledger/event-log';
import { openKeyReader } from '@refledger/key-store';
import { newSearchTerms } from '@refledger/personal-data';
import type { MakeTerms } from '@refledger/projections';
import { openSecretBox } from '@refledger/sealing';
import type { SecretsKeys } from './secrets-keys.js';

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
  /** The keys that the service seals with. Throws `UsageError` without one. */
  readonly secretsKeys: () => SecretsKeys;
}

/** Opens the key store to make terms. */
export const openTerms = async ({
  url,
  dataDir,
  secretsKeys,
}: KeyStorePlace): Promise<OpenTerms> => {
  const box = openSecretBox(secretsKeys());
  const keys = await openKeyReader(url, { dataDir });
  return { make: newSearchTerms(keys, box), close: () => keys.close() };
};
