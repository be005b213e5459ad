import {
  derivedId,
  eventIdOf,
  toInstant,
  type AccountId,
  type AffiliateId,
  type Checkpoint,
  type Position,
} from '@refledger/contracts';
import type { Erasure, KeyReader, KeyRow, KeyStore, NewKey } from '../key-store.js';

/** One set of keys for the suite, which does not exist before it was opened with `create`. */
export interface KeyStoreFixture {
  /** A handle to the same keys, as another process would get it. */
  open(create: boolean, newId?: string): Promise<KeyStore>;
  read(): Promise<KeyReader>;
  remove(): Promise<void>;
}

/** The state of the running test. */
export interface KeyStoreUnderTest {
  readonly fixture: KeyStoreFixture;
  readonly store: KeyStore;
  /** A second handle to the same keys. */
  readonly other: KeyStore;
}

export const accountId: AccountId = derivedId('account', 'one');
export const affiliate = (name: string): AffiliateId => derivedId('affiliate', name);
export const t = (seconds: number): string => toInstant(Date.UTC(2026, 0, 1) + seconds * 1_000);

export const keyOf = (key: string, claim: string | null = null, seconds = 0): NewKey => ({
  accountId,
  key,
  claim,
  at: t(seconds),
});

export const erasureAt = (position: number): Erasure & { readonly accountId: AccountId } => ({
  accountId,
  ...erasedAt(position),
});

export const erasedAt = (position: number): Erasure => ({
  eventId: eventIdOf('00000000-0000-4000-8000-000000000000', 'stream', 0, position),
  position: String(position) as Position,
  erasedAt: t(position),
});

export const checkpointAt = (position: number): Checkpoint => ({
  logId: 'log one',
  position: String(position) as Position,
  eventId: `event ${position}`,
});

export const pagesOf = async (
  ...[reader, after]: [KeyReader, Parameters<KeyReader['scan']>[0]?]
): Promise<readonly (readonly KeyRow[])[]> => {
  const pages = [];
  for await (const page of reader.scan(after)) pages.push(page);
  return pages;
};

export const rowsOf = async (...args: Parameters<typeof pagesOf>): Promise<readonly KeyRow[]> =>
  (await pagesOf(...args)).flat();
