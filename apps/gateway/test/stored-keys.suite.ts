import { randomUUID } from 'node:crypto';
import {
  newId,
  streams,
  type AccountId,
  type ApiKeysEvent,
  type KeyId,
  type Position,
  type StreamName,
} from '@refledger/contracts';
import { apiKeysDecider } from '@refledger/domain';
import { foldStream, hashOfApiKey, newApiKey, snapshotsFor } from '@refledger/application';
import { encodeEvent, type EventLog, type ReadAllOptions } from '@refledger/event-log';
import { Health, newLogger } from '@refledger/platform';
import type { ReadStore } from '@refledger/read-store';
import { apiKeysProjection } from '@refledger/projections';
import { KeyRegistry, readStoredKeys } from '@refledger/queries';
import { present } from '@refledger/testing/present';
import { projectTo, type Engines, type OpenEngines } from './engines.js';

/** Shared by all tests, because each logger stays until the process ends. */
const logger = newLogger('silent', 'test');

interface MadeKey {
  readonly account: AccountId;
  readonly id: KeyId;
  readonly secret: string;
}

/** Tests a start from the read model of keys, on any engines. */
export const storedKeysSuite = (open: OpenEngines): void => {
  describe('a start from stored keys', () => {
    let engines: Engines;
    let revisions: Map<StreamName, number>;
    beforeEach(async () => {
      engines = await open();
      revisions = new Map();
    });
    afterEach(() => engines.close());

    const append = async (account: AccountId, event: ApiKeysEvent): Promise<Position> => {
      const stream = streams.keys(account);
      const metadata = {
        account_id: account,
        actor: 'test',
        request_id: 'r',
        recorded_at: '2026-01-01T00:00:00.000Z',
      };
      const appended = await engines.log.append(
        stream,
        [encodeEvent(event, randomUUID(), metadata)],
        revisions.get(stream) ?? 'no stream',
      );
      revisions.set(stream, appended.revision);
      return present(appended.position);
    };
    const create = async (account: AccountId): Promise<MadeKey> => {
      const [id, secret] = [newId('key'), newApiKey(account)];
      await append(account, {
        type: 'key.created',
        data: { key_id: id, name: 'k', scope: 'admin', hash: hashOfApiKey(secret), last4: 'abcd' },
      });
      return { account, id, secret };
    };
    const revoke = ({ account, id }: MadeKey): Promise<Position> =>
      append(account, { type: 'key.revoked', data: { key_id: id } });

    const project = (): Promise<void> => projectTo(engines, apiKeysProjection);

    /**
     * Starts a registry on these engines. Returns it with the key events that it read from the log.
     */
    const started = async ({ log, store }: Pick<Engines, 'log' | 'store'>) => {
      const read: string[] = [];
      const counting: EventLog = Object.assign(Object.create(log) as EventLog, {
        readAll: async function* (options: ReadAllOptions) {
          for await (const batch of log.readAll(options)) {
            // The log may hold events of other tests.
            read.push(
              ...batch.events.flatMap(({ stream, type }) => (revisions.has(stream) ? [type] : [])),
            );
            yield batch;
          }
        },
      });
      const registry = new KeyRegistry({
        log: counting,
        logger,
        health: new Health([]),
        stored: () => readStoredKeys(log, store, logger),
      });
      await registry.start();
      await registry.close();
      return { registry, read };
    };

    /** Creates three accounts with live and revoked keys. */
    const history = async (): Promise<{
      readonly live: MadeKey[];
      readonly revoked: MadeKey[];
    }> => {
      const [live, revoked]: [MadeKey[], MadeKey[]] = [[], []];
      for (const account of [newId('account'), newId('account'), newId('account')]) {
        for (let n = 0; n < 4; n++) live.push(await create(account));
        for (let n = 0; n < 3; n++) revoked.push(await create(account));
      }
      for (const key of revoked) await revoke(key);
      return { live, revoked };
    };

    it('knows every live key and reads only the key events after the read model', async () => {
      const { live, revoked } = await history();
      await project();
      const late = await create(present(live[0]).account);
      await revoke(present(live[1]));

      const { registry, read } = await started(engines);
      expect(read).toEqual(['key.created', 'key.revoked']);
      for (const key of [late, ...live.filter(({ id }) => id !== present(live[1]).id)])
        expect(registry.known(key.secret)).toEqual({
          accountId: key.account,
          keyId: key.id,
          scope: 'admin',
        });
      for (const key of [...revoked, present(live[1])])
        expect(registry.known(key.secret)).toBeUndefined();
    });

    it('has a snapshot of every stream, from which a command continues', async () => {
      const { live } = await history();
      await project();
      const { registry } = await started(engines);
      await revoke(present(live[0]));
      for (const account of new Set(live.map((key) => key.account))) {
        const stream = streams.keys(account);
        const whole = await foldStream(engines.log, apiKeysDecider, stream, undefined);
        const from = await foldStream(
          engines.log,
          apiKeysDecider,
          stream,
          snapshotsFor(apiKeysDecider, (name) => registry.snapshot(name)),
        );
        expect((await registry.snapshot(stream))?.revision).toBe(
          account === present(live[0]).account ? present(whole.revision) - 1 : whole.revision,
        );
        expect({ ...from, state: new Map(from.state.live) }).toMatchObject({
          ...whole,
          state: new Map(whole.state.live),
        });
      }
    });

    it('reads the log if there is no read model yet', async () => {
      const { live, revoked } = await history();
      const { registry, read } = await started(engines);
      expect(read).toHaveLength(live.length + 2 * revoked.length);
      for (const { secret, id } of live)
        expect(registry.known(secret)).toMatchObject({ keyId: id });
    });

    it('reads the log if the read model reflects events that the log has lost', async () => {
      const { live, revoked } = await history();
      await project();
      const lost: EventLog = Object.assign(Object.create(engines.log) as EventLog, {
        eventAt: () => Promise.resolve(undefined),
      });
      const { read } = await started({ ...engines, log: lost });
      expect(read).toHaveLength(live.length + 2 * revoked.length);
    });

    it('reads the log if the store is ahead of its checkpoint', async () => {
      const { live, revoked } = await history();
      await project();
      const { store } = engines;
      const ahead: ReadStore = Object.assign(Object.create(store) as ReadStore, {
        scan: async function* (...of: Parameters<ReadStore['scan']>) {
          const [first] = live;
          for await (const { documents } of store.scan(...of))
            yield {
              documents,
              checkpoint: {
                logId: engines.log.id,
                position: await positionOf(engines.log, present(first)),
                eventId: 'an earlier one',
              },
            };
        },
      });
      const { read } = await started({ log: engines.log, store: ahead });
      expect(read).toHaveLength(live.length + 2 * revoked.length);
    });
  });
};

const positionOf = async (log: EventLog, { account }: MadeKey): Promise<Position> => {
  for await (const [event] of log.readStream(streams.keys(account)))
    if (event !== undefined) return event.position;
  throw new Error('the stream is empty');
};
