import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  newId,
  streams,
  type Checkpoint,
  type Position,
  type StreamName,
} from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import type { LoggedEvent } from '@refledger/event-log';
import { openKeyStore, type KeyReader, type KeyRow, type KeyStore } from '@refledger/key-store';
import {
  copyErasures,
  copyKeys,
  openCopiedKeys,
  openExistingKeys,
  translatedCheckpoint,
} from './copy-keys.js';

const progress = { update: () => undefined, end: () => undefined };
const quiet = { progress, signal: new AbortController().signal };
const url = embeddedUrls.KEY_STORE_URL;
const [accountId, plain, claimed, erased] = [
  newId('account'),
  newId('affiliate'),
  newId('affiliate'),
  newId('affiliate'),
];
const at = (seconds: number) => `2026-01-01T00:00:0${seconds}.000Z`;
const erasureAt = (position: string) => ({
  accountId,
  eventId: 'event 7',
  position: position as Position,
  erasedAt: at(9),
});

const directories: string[] = [];
const newDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'refledger-copy-keys-'));
  directories.push(directory);
  return directory;
};
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

// the position of an event in the target is ten times the source's
const translate = (position: Position) =>
  Promise.resolve({ id: `event ${position}`, position: `${position}0` } as LoggedEvent);
const log = {
  id: 'log one',
  eventAt: (position: Position) =>
    Promise.resolve({
      id: `event ${position}`,
      type: position === '1' ? 'log.opened' : 'affiliate.erased',
      stream: streams.affiliate(erased),
    } as LoggedEvent),
  async *readStream(stream: StreamName) {
    const event = { id: 'event 7', type: 'affiliate.erased', position: '7', stream };
    yield await Promise.resolve(stream === streams.affiliate(erased) ? [event as LoggedEvent] : []);
  },
};
const logs = { log, targetLogId: 'log two', translate };

describe('copying keys', () => {
  let source: KeyStore;
  let target: KeyStore;
  beforeEach(async () => {
    source = await openKeyStore(url, { dataDir: newDirectory(), create: true });
    target = await openCopiedKeys(url, newDirectory(), source);
    // Given the keys of an account and of affiliates, of which one was erased.
    const key = (owner: string, claim: string | null, seconds: number) => ({
      accountId,
      key: `wrapped key of ${owner}`,
      claim,
      at: at(seconds),
    });
    await source.put(accountId, key(accountId, null, 1));
    await source.put(plain, key(plain, null, 2));
    await source.put(claimed, key(claimed, 'claim b', 3));
    await source.put(claimed, key(claimed, 'claim a', 5));
    await source.put(claimed, key(claimed, 'claim c', 4));
    await source.put(erased, key(erased, 'claim d', 6));
    await source.destroy(erased, erasureAt('7'));
  });
  afterEach(async () => void (await Promise.all([source.close(), target.close()])));

  const rowsOf = async (store: Pick<KeyReader, 'scan'>): Promise<readonly KeyRow[]> => {
    const all: KeyRow[] = [];
    for await (const rows of store.scan()) all.push(...rows);
    return all;
  };
  const isErased = ({ owner }: KeyRow): boolean => owner === erased;
  const copied = async (): Promise<readonly KeyRow[]> =>
    (await rowsOf(source)).map((row) =>
      isErased(row) ? { ...row, position: '70' as Position } : row,
    );

  it('copies every key with its claims before the events, and what was erased after them', async () => {
    expect(target.id).toBe(source.id);
    await copyKeys({ source, target, ...quiet });
    expect(await rowsOf(target)).toEqual((await copied()).filter((row) => !isErased(row)));
    await copyErasures({ source, target, ...logs, ...quiet });
    expect(await rowsOf(target)).toEqual(await copied());
    expect(await target.checkpoint()).toBeUndefined();
  });

  it('continues a copy that was interrupted', async () => {
    // When some of it was copied, then the rest is.
    await target.put(claimed, {
      accountId,
      key: `wrapped key of ${claimed}`,
      claim: 'claim a',
      at: at(5),
    });
    await target.destroy(erased, erasureAt('70'));
    for (let run = 0; run < 2; run++) {
      await copyKeys({ source, target, ...quiet });
      await copyErasures({ source, target, ...logs, ...quiet });
      expect(await rowsOf(target)).toEqual(await copied());
    }
  });

  it('finds an erasure that was recorded again, and keeps one whose affiliate the log has lost', async () => {
    const restored = await openKeyStore(url, { dataDir: newDirectory(), create: true });
    await restored.destroy(erased, erasureAt('9999'));
    await restored.destroy(plain, erasureAt('9999'));
    await copyErasures({ source: restored, target, ...logs, ...quiet });
    const stored = await target.getMany([erased, plain]);
    expect(stored.get(erased)).toMatchObject({ kind: 'erased', position: '70' });
    expect(stored.get(plain)).toMatchObject({ kind: 'erased', position: '9999' });
    await restored.close();
  });

  it('ends early when it is asked to', async () => {
    const signal = AbortSignal.abort(new Error('Ctrl-C'));
    await expect(copyKeys({ source, target, progress, signal })).rejects.toThrow('Ctrl-C');
    await expect(copyErasures({ source, target, ...logs, signal })).rejects.toThrow('Ctrl-C');
    expect(await rowsOf(target)).toEqual([]);
  });

  it('copies up to where the erasures of the log were applied', async () => {
    await source.saveCheckpoint(checkpoint({}));
    await copyErasures({ source, target, ...logs, ...quiet });
    expect(await target.checkpoint()).toEqual({
      logId: 'log two',
      position: '70',
      eventId: 'event 7',
    });
  });

  it('refuses a target whose key store is another one', async () => {
    const dataDir = newDirectory();
    const other = await openKeyStore(url, { dataDir, create: true, newId: 'other' });
    await other.close();
    await expect(openCopiedKeys(url, dataDir, source)).rejects.toThrow(
      /another key store \(other\), so a gateway was started on it/,
    );
  });
});

const checkpoint = (over: Partial<Checkpoint>): Checkpoint => ({
  logId: 'log one',
  position: '7' as Position,
  eventId: 'event 7',
  ...over,
});

it.each([
  ['is of another log', { logId: 'log three' }],
  ['names an event that the log does not have', { eventId: 'another' }],
  ['is at the first event, which is not copied', { position: '1' as Position, eventId: 'event 1' }],
])('no checkpoint is copied if it %s: all erasures are applied again', async (_, over) => {
  expect(await translatedCheckpoint(checkpoint(over), logs)).toBeUndefined();
  expect(await translatedCheckpoint(undefined, logs)).toBeUndefined();
});

it('a store that does not exist is not created by looking', async () => {
  const dataDir = newDirectory();
  expect(await openExistingKeys(url, dataDir)).toBeUndefined();
  expect(await openExistingKeys(url, dataDir)).toBeUndefined();
  const store = await openKeyStore(url, { dataDir, create: true });
  const reader = await openExistingKeys(url, dataDir);
  expect(reader?.id).toBe(store.id);
  await Promise.all([store.close(), reader?.close()]);
});
