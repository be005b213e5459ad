import type { Checkpoint } from '@refledger/contracts';
import {
  KeyStoreError,
  type KeyCounts,
  type KeyOwner,
  type KeyRow,
  type KeyStore,
  type NewKey,
  type StoredKey,
} from '@refledger/key-store';
import { scanPages } from '@refledger/key-store/adapter';
import type { Clock } from '../clock.js';
import type { CommittedKeys } from './committed-keys.js';

/**
 * A key store in memory that never fails. Each instance is a handle to the committed keys that it
 * shares with others.
 */
export class SimulatedKeyStore implements KeyStore {
  private isClosed = false;

  constructor(
    private readonly committed: CommittedKeys,
    private readonly clock: Pick<Clock, 'turn'>,
  ) {}

  get id(): string {
    return this.committed.id;
  }

  getMany(owners: readonly KeyOwner[]): Promise<ReadonlyMap<KeyOwner, StoredKey>> {
    return this.whenOpen(
      ({ rows }) =>
        new Map(
          owners.flatMap((owner) => {
            const found = rows.get(owner);
            return found === undefined ? [] : [[owner, toStored(found)] as const];
          }),
        ),
    );
  }

  scan(start?: KeyOwner): AsyncGenerator<readonly KeyRow[]> {
    return this.scanWhere(() => true, start);
  }

  scanClaimed(putBefore: string): AsyncGenerator<readonly KeyRow[]> {
    return this.scanWhere(
      ({ claims, putAt }) => claims.length > 0 && putAt !== null && putAt < putBefore,
    );
  }

  private async *scanWhere(
    isWanted: (row: KeyRow) => boolean,
    start?: KeyOwner,
  ): AsyncGenerator<readonly KeyRow[]> {
    const read = (after: KeyOwner | undefined, limit: number): Promise<readonly KeyRow[]> =>
      this.whenOpen(({ rows }) =>
        [...rows.values()]
          .filter((row) => (after === undefined || row.owner > after) && isWanted(row))
          .sort((a, b) => (a.owner < b.owner ? -1 : 1))
          .slice(0, limit),
      );
    for await (const page of scanPages(read, start)) {
      yield page;
      await this.clock.turn();
    }
  }

  counts(): Promise<KeyCounts> {
    return this.whenOpen(({ rows }) => {
      const erased = [...rows.values()].filter(({ kind }) => kind === 'erased').length;
      return { keys: rows.size - erased, erased };
    });
  }

  checkpoint(): Promise<Checkpoint | undefined> {
    return this.whenOpen(({ checkpoint }) => checkpoint);
  }

  put(owner: KeyOwner, { accountId, key, claim, at }: NewKey): Promise<StoredKey> {
    return this.whenOpen(({ rows }) => {
      const found: KeyRow = rows.get(owner) ?? {
        owner,
        accountId,
        claims: [],
        putAt: at,
        kind: 'key',
        key,
      };
      const row = found.kind === 'erased' ? found : putAgain(found, claim, at);
      rows.set(owner, row);
      return toStored(row);
    });
  }

  readonly destroy: KeyStore['destroy'] = (affiliate, { accountId, eventId, position, erasedAt }) =>
    this.whenOpen(({ rows }) => {
      if (rows.get(affiliate)?.kind === 'erased') return;
      rows.set(affiliate, {
        owner: affiliate,
        accountId,
        claims: [],
        putAt: null,
        kind: 'erased',
        eventId,
        position,
        erasedAt,
      });
    });

  rewrap(owner: KeyOwner, from: string, to: string): Promise<boolean> {
    return this.whenOpen(({ rows }) => {
      const found = rows.get(owner);
      if (found?.kind !== 'key' || found.key !== from) return false;
      rows.set(owner, { ...found, key: to });
      return true;
    });
  }

  forgetClaims(owner: KeyOwner, claims: readonly string[], putAt: string): Promise<void> {
    return this.whenOpen(({ rows }) => {
      const found = rows.get(owner);
      if (found?.putAt !== putAt) return;
      rows.set(owner, {
        ...found,
        claims: found.claims.filter((claim) => !claims.includes(claim)),
      });
    });
  }

  saveCheckpoint({ logId, position, eventId }: Checkpoint): Promise<void> {
    return this.whenOpen((committed) => {
      committed.checkpoint = { logId, position, eventId };
    });
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }

  private whenOpen<T>(work: (committed: CommittedKeys) => T): Promise<T> {
    return new Promise((resolve) => {
      if (this.isClosed) throw new KeyStoreError('unavailable', 'this key store is closed');
      resolve(work(this.committed));
    });
  }
}

/** The row of a key after a put that left the key. */
const putAgain = (row: KeyRow, claim: string | null, at: string): KeyRow => ({
  ...row,
  claims: [...new Set([...row.claims, ...(claim === null ? [] : [claim])])].sort(),
  putAt: row.putAt !== null && row.putAt > at ? row.putAt : at,
});

const toStored = (row: KeyRow): StoredKey =>
  row.kind === 'key'
    ? { kind: 'key', key: row.key }
    : {
        kind: 'erased',
        eventId: row.eventId,
        position: row.position,
        erasedAt: row.erasedAt,
      };
