import { streams } from '@refledger/contracts';
import { EventLogError } from '@refledger/event-log';
import { waitFor } from '@refledger/testing';
import { KeysLog } from '../../test/keys-log.js';
import { KeyRegistry, type KeysHealth } from './key-registry.js';
import { RefreshLimit } from './refresh-limit.js';

let now: number;
let log: KeysLog;
/** The last report. */
let reported: Parameters<KeysHealth['report']>[0] | undefined;
const health: KeysHealth = { report: (health) => (reported = health) };
const logger = { error: () => undefined };
let registry: KeyRegistry;
beforeEach(() => {
  now = 0;
  log = new KeysLog();
  reported = undefined;
  const limit = new RefreshLimit({ intervalMs: 250, max: 4 }, () => now);
  registry = new KeyRegistry({ log, logger, health, limit });
});
afterEach(() => registry.close());

describe('a key that is not known here yet', () => {
  it('is found by reading only the events after the last known one of its account', async () => {
    for (let n = 0; n < 50; n++) log.create('a');
    await registry.start();
    const { id, secret } = log.create('a');
    expect(registry.known(secret)).toBeUndefined();
    expect(await registry.find(secret)).toMatchObject({ keyId: id, accountId: log.account('a') });
    expect(registry.known(secret)).toMatchObject({ keyId: id });
    expect(log.reads).toEqual([{ stream: streams.keys(log.account('a')), from: 50, events: 1 }]);
  });

  it('causes one read for simultaneous requests, and one read per interval', async () => {
    log.create('a');
    await registry.start();
    const request = () =>
      Promise.all(Array.from({ length: 200 }, () => registry.find(log.unknownKey('a'))));
    expect(new Set([...(await request()), ...(await request())])).toEqual(new Set([undefined]));
    expect(log.reads).toHaveLength(1);
    now += 250;
    await request();
    expect(log.reads.map(({ from, events }) => [from, events])).toEqual([
      [1, 0],
      [1, 0],
    ]);
  });

  it('causes no more reads for many accounts than the overall limit allows', async () => {
    await registry.start();
    await Promise.all(
      Array.from({ length: 100 }, (_, n) => registry.find(log.unknownKey(`account ${n}`))),
    );
    expect(log.reads).toHaveLength(4);
  });

  it('fails when the log fails, and is looked up again', async () => {
    await registry.start();
    const { secret } = log.create('a');
    const away = jest.spyOn(log, 'readStream').mockImplementationOnce(() => {
      throw new EventLogError({ kind: 'unavailable' }, 'away');
    });
    await expect(registry.find(secret)).rejects.toThrow('away');
    away.mockRestore();
    now += 250;
    expect(await registry.find(secret)).toBeDefined();
  });
});

it('knows that a key has expired, without reading the log', async () => {
  const expiresAt = Date.parse('2026-01-31T09:30:00.000Z');
  let time = expiresAt - 1;
  const { id, secret } = log.create('a', { expires_at: '2026-01-31T09:30:00.000Z' });
  registry = new KeyRegistry({ log, logger, health, now: () => time });
  await registry.start();
  expect(registry.known(secret)).toMatchObject({ keyId: id });
  time = expiresAt;
  expect(registry.known(secret)).toBe('expired');
  expect(log.reads).toEqual([]);
});

it('reads a stream immediately after a local change, without a limit', async () => {
  await registry.start();
  for (let n = 0; n < 10; n++) {
    const { id, secret } = log.create('a');
    await registry.refresh(log.account('a'));
    expect(registry.known(secret)).toMatchObject({ keyId: id });
  }
  expect(log.reads.map(({ events }) => events)).toEqual(Array.from({ length: 10 }, () => 1));
});

it('learns of revocations', async () => {
  const { id, secret } = log.create('a');
  await registry.start();
  expect(registry.known(secret)).toMatchObject({ keyId: id });
  log.revoke('a', id);
  log.publish();
  await waitFor(() => registry.known(secret) === undefined);
});

describe('the registry', () => {
  it('is not ready after an unreadable event, but learns of later revocations', async () => {
    const first = log.create('a');
    const second = log.create('a');
    await registry.start();
    expect(reported).toBeUndefined();
    log.unreadable('a');
    log.revoke('a', first.id);
    log.publish();
    await waitFor(() => registry.known(first.secret) === undefined);
    expect(reported).toEqual({
      part: 'api-keys',
      ready: false,
      detail: expect.stringMatching(
        /position 3 .*key\.from-the-future.*Start a release that can read it/,
      ) as unknown,
    });

    log.revoke('a', second.id);
    log.publish();
    await waitFor(() => registry.known(second.secret) === undefined);
    expect(reported?.ready).toBe(false);
  });

  it('is not ready after an unreadable event found at startup, but startup succeeds', async () => {
    log.unreadable('a');
    const { secret } = log.create('a');
    await registry.start();
    expect(registry.known(secret)).toBeDefined();
    expect(reported?.ready).toBe(false);
  });

  it('is not ready while following the log fails for any reason except an unavailable log', async () => {
    const { id, secret } = log.create('a');
    log.breaks.push(
      new EventLogError({ kind: 'unavailable' }, 'away'),
      new EventLogError({ kind: 'unusable' }, 'damaged'),
    );
    await registry.start();
    await waitFor(() => reported?.ready === false);
    expect(reported).toEqual({
      part: 'api-keys',
      ready: false,
      detail: expect.stringContaining('damaged') as unknown,
    });
    log.revoke('a', id);
    log.publish();
    await waitFor(() => registry.known(secret) === undefined && reported?.ready === true);
  });
});
