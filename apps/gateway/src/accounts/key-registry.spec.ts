import { streams } from '@refledger/contracts';
import { EventLogError } from '@refledger/event-log';
import { Health, newLogger } from '@refledger/platform';
import { until } from '@refledger/testing';
import { KeysLog } from '../../test/keys-log.js';
import { KeyRegistry } from './key-registry.js';
import { RefreshLimit } from './refresh-limit.js';

let now: number;
let log: KeysLog;
let health: Health;
let registry: KeyRegistry;
beforeEach(() => {
  now = 0;
  log = new KeysLog();
  health = new Health([]);
  const limit = new RefreshLimit({ intervalMs: 250, most: 4 }, () => now);
  registry = new KeyRegistry({ log, logger: newLogger('silent', 'test'), health, limit });
});
afterEach(() => registry.close());

describe('a key that is not known here yet', () => {
  it('is found by reading what came after the last event known of its account, and nothing else', async () => {
    for (let n = 0; n < 50; n++) log.create('a');
    await registry.start();
    const { id, secret } = log.create('a');
    expect(registry.known(secret)).toBeUndefined();
    expect(await registry.find(secret)).toMatchObject({ keyId: id, accountId: log.account('a') });
    expect(registry.known(secret)).toMatchObject({ keyId: id });
    expect(log.reads).toEqual([{ stream: streams.keys(log.account('a')), from: 50, events: 1 }]);
  });

  it('makes one read for all who ask at once, and one in an interval', async () => {
    log.create('a');
    await registry.start();
    const ask = () =>
      Promise.all(Array.from({ length: 200 }, () => registry.find(log.unknownKey('a'))));
    expect(new Set([...(await ask()), ...(await ask())])).toEqual(new Set([undefined]));
    expect(log.reads).toHaveLength(1);
    now += 250;
    await ask();
    expect(log.reads.map(({ from, events }) => [from, events])).toEqual([
      [1, 0],
      [1, 0],
    ]);
  });

  it('makes no more reads for many accounts than the limit of all', async () => {
    await registry.start();
    await Promise.all(
      Array.from({ length: 100 }, (_, n) => registry.find(log.unknownKey(`account ${n}`))),
    );
    expect(log.reads).toHaveLength(4);
  });

  it('fails as the log does, and is looked for again', async () => {
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

it('reads what was just changed here at once, however often', async () => {
  await registry.start();
  for (let n = 0; n < 10; n++) {
    const { id, secret } = log.create('a');
    await registry.refresh(log.account('a'));
    expect(registry.known(secret)).toMatchObject({ keyId: id });
  }
  expect(log.reads.map(({ events }) => events)).toEqual(Array.from({ length: 10 }, () => 1));
});

it('follows revocations', async () => {
  const { id, secret } = log.create('a');
  await registry.start();
  expect(registry.known(secret)).toMatchObject({ keyId: id });
  log.revoke('a', id);
  log.publish();
  await until(() => registry.known(secret) === undefined);
});

describe('readiness', () => {
  it("is red for an event that can't be read, and revocations after it are followed", async () => {
    const first = log.create('a');
    const second = log.create('a');
    await registry.start();
    expect(health.summary()).toEqual({ ready: true, parts: [] });
    log.unreadable('a');
    log.revoke('a', first.id);
    log.publish();
    await until(() => registry.known(first.secret) === undefined);
    expect(health.summary()).toEqual({
      ready: false,
      parts: [
        {
          part: 'api-keys',
          ready: false,
          detail: expect.stringMatching(
            /position 3 .*key\.from-the-future.*Start the release that can read it/,
          ) as unknown,
        },
      ],
    });

    log.revoke('a', second.id);
    log.publish();
    await until(() => registry.known(second.secret) === undefined);
    expect(health.summary().ready).toBe(false);
  });

  it('is red for one that was there at the start, which goes on', async () => {
    log.unreadable('a');
    const { secret } = log.create('a');
    await registry.start();
    expect(registry.known(secret)).toBeDefined();
    expect(health.summary().ready).toBe(false);
  });

  it('is red while following fails for another reason than a log that is away', async () => {
    const { id, secret } = log.create('a');
    log.breaks.push(
      new EventLogError({ kind: 'unavailable' }, 'away'),
      new EventLogError({ kind: 'unusable' }, 'damaged'),
    );
    await registry.start();
    await until(() => !health.summary().ready);
    expect(health.summary().parts).toEqual([
      { part: 'api-keys', ready: false, detail: expect.stringContaining('damaged') as unknown },
    ]);
    log.revoke('a', id);
    log.publish();
    await until(() => registry.known(secret) === undefined && health.summary().ready);
  });
});
