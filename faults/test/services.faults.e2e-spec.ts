import { setTimeout as sleep } from 'node:timers/promises';
import {
  count,
  conversionBody,
  eventually,
  scaledTimeout,
  startDistributed,
  startHookReceiver,
  startTogether,
  TestAccount,
  uniqueText,
  type Conversion,
  type DistributedService,
  type HookReceiver,
  type Page,
  type ServiceRole,
} from '@refledger/testing';
import { present } from '@refledger/testing/present';
import { describeWithServers } from '@refledger/testing/servers';
import { expectEverywhere } from './expect-everywhere.js';

/** For a longer run: SERVICE_FAULT_ROUNDS=100 npx jest test/services */
const rounds = Number(process.env['SERVICE_FAULT_ROUNDS'] ?? count(2, 10));
const writers = 3;
const pausedMs = 10_000;

describeWithServers(
  ['MongoDB', 'Kafka'],
  'five services and three engines, each in turn killed, frozen or run twice under load',
  (servers) => {
    let service: DistributedService;
    let receiver: HookReceiver;
    beforeAll(async () => {
      [service, receiver] = await startTogether(
        startDistributed(servers, {
          env: {
            RATE_LIMIT_PER_MINUTE: '0',
            WEBHOOK_RETRY_SCHEDULE: '500ms,1s,2s,5s,5s,5s,5s,5s,5s,5s',
          },
        }),
        startHookReceiver(),
      );
    }, scaledTimeout(60_000));
    afterAll(async () => {
      await Promise.all([service?.stop(), receiver?.close()]);
    }, scaledTimeout(60_000));

    const role = (name: ServiceRole) => present(service.roles.find((one) => one.role === name));
    const engine = (name: string) => present(service.engines.find((one) => one.engine === name));
    const killRole = async (name: ServiceRole): Promise<void> => {
      await role(name).kill();
      await role(name).start();
    };
    const killEngine = async (name: string): Promise<void> => {
      await engine(name).kill();
      await engine(name).start();
    };
    const pauseEngine = async (name: string): Promise<void> => {
      engine(name).pause();
      // the pause is part of the fault itself
      await sleep(pausedMs);
      engine(name).resume();
    };
    /**
     * Starts a second instance, which takes over when the first is killed. Then kills, restarts and
     * removes the second one too.
     */
    const double = async (name: ServiceRole): Promise<void> => {
      const second = await service.startAnother(name);
      await killRole(name);
      await second.kill();
      await second.start();
      await second.leave();
    };

    const injections: readonly (readonly [string, () => Promise<void>])[] = [
      ...(['gateway', 'projector', 'ledger', 'relay', 'webhook-dispatcher'] as const).map(
        (name) => [`kill -9 of the ${name}`, () => killRole(name)] as const,
      ),
      ...['EventStoreDB', 'MongoDB', 'Kafka'].map(
        (name) => [`kill -9 of ${name}`, () => killEngine(name)] as const,
      ),
      ['two relays, each killed', () => double('relay')],
      ['two projectors, each killed', () => double('projector')],
      ['two ledgers, each killed', () => double('ledger')],
      ['two dispatchers, each killed', () => double('webhook-dispatcher')],
      ...['EventStoreDB', 'MongoDB', 'Kafka'].map(
        (name) => [`${name} frozen for 10 s`, () => pauseEngine(name)] as const,
      ),
    ];

    /** Records sales until it is stopped, and remembers which were acknowledged. */
    const startLoad = (account: TestAccount, affiliate: string) => {
      const acknowledged = new Map<string, Conversion>();
      const attempted: string[] = [];
      const record = async (name: string): Promise<boolean> => {
        const response = await account.api
          .post<Conversion>(
            '/v1/conversions',
            conversionBody(affiliate, { external_transaction_id: name }),
          )
          .catch(() => undefined);
        if (response?.status === 201 || response?.status === 200)
          acknowledged.set(name, response.body);
        return response?.status === 201 || response?.status === 200;
      };
      let writing = true;
      const load = Promise.all(
        Array.from({ length: writers }, async () => {
          while (writing) {
            const name = uniqueText('sale');
            attempted.push(name);
            // no faster than it can be read: a slow store would fall further and further behind
            if (await record(name))
              await account.api
                .get<Page<Conversion>>('/v1/conversions', { query: { limit: 1 } })
                .catch(() => undefined);
            else await sleep(100);
          }
        }),
      );
      const stop = async (): Promise<void> => {
        writing = false;
        await load;
      };
      return { acknowledged, attempted, record, stop };
    };

    it(
      `after ${rounds} rounds: acknowledged = stored once = in lists and statistics = published = delivered`,
      async () => {
        const account = await TestAccount.open(service);
        const { id: affiliate } = await account.affiliate();
        await account.subscribe(receiver.url('/ledger'), ['conversion.created']);
        const { acknowledged, attempted, record, stop } = startLoad(account, affiliate);

        try {
          for (let round = 0; round < rounds; round++) {
            const [what, injection] = present(injections[round % injections.length]);
            const before = acknowledged.size;
            await injection().catch((error: unknown) =>
              Promise.reject(new Error(`round ${round}, ${what}: ${String(error)}`)),
            );
            await eventually(
              () => expect([what, acknowledged.size > before + writers]).toEqual([what, true]),
              { timeoutMs: 60_000 },
            );
          }
        } finally {
          await stop();
        }
        await service.ready();

        const unknown = attempted.filter((name) => !acknowledged.has(name));
        for (const name of unknown)
          await eventually(async () => expect(await record(name)).toBe(true));
        process.stderr.write(
          `      ${rounds} rounds: ${attempted.length} sent, ${attempted.length - unknown.length} acknowledged, ${unknown.length} unknown and sent again\n`,
        );

        const eventLogUrl = engine('EventStoreDB').url;
        await expectEverywhere([...acknowledged.values()], {
          account,
          affiliate,
          receiver,
          service,
          eventLogUrl,
        });
      },
      scaledTimeout(60_000) * (2 + rounds),
    );
  },
);
