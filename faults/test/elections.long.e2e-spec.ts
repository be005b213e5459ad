import { setTimeout as sleep } from 'node:timers/promises';
import {
  conversionBody,
  scaledTimeout,
  startDistributed,
  startHookReceiver,
  startTogether,
  TestAccount,
  uniqueText,
  waitFor,
  type ApiResponse,
  type Conversion,
  type DistributedService,
  type HookReceiver,
} from '@refledger/testing';
import {
  startEventStoreDbCluster,
  type DoubleCluster,
  type DoubleServer,
} from '@refledger/testing/eventstoredb';
import { present } from '@refledger/testing/present';
import { describeWithServers } from '@refledger/testing/servers';
import { expectEverywhere } from './expect-everywhere.js';

/** Each change once. For a longer run: ELECTION_ROUNDS=100 npx jest test/elections */
const rounds = Number(process.env['ELECTION_ROUNDS'] ?? 7);
const writers = 6;

/** The statuses that the contract allows while a server is unavailable. */
const refusals: ReadonlySet<number> = new Set([429, 503]);

describeWithServers(
  ['MongoDB', 'Kafka'],
  'five services over a cluster that changes its leader',
  (servers) => {
    let cluster: DoubleCluster;
    let service: DistributedService;
    let receiver: HookReceiver;
    beforeAll(async () => {
      const startEventLog = async () => {
        cluster = await startEventStoreDbCluster();
        return { ...cluster.nodes[0], url: cluster.url, stop: () => cluster.stop() };
      };
      const env = {
        RATE_LIMIT_PER_MINUTE: '0',
        WEBHOOK_RETRY_SCHEDULE: '500ms,1s,2s,5s,5s,5s,5s,5s,5s,5s',
      };
      [service, receiver] = await startTogether(
        startDistributed(servers, { env, startEventLog }),
        startHookReceiver(),
      );
    }, scaledTimeout(60_000));
    afterAll(async () => {
      await Promise.all([service?.stop(), receiver?.close()]);
    }, scaledTimeout(60_000));

    /** Ways in which the leader changes. The times are part of the fault itself. */
    const changes: readonly (readonly [
      string,
      (old: DoubleServer, next: DoubleServer, third: DoubleServer) => Promise<void>,
    ])[] = [
      ['another one leads', (_old, next) => Promise.resolve(next.lead())],
      [
        'the leader is killed',
        async (old, next) => {
          await old.kill();
          next.lead();
          await old.start();
        },
      ],
      [
        'the leader is killed, but is still named for seconds',
        async (old, next) => {
          await old.kill();
          await sleep(2_000);
          next.lead();
          await old.start();
        },
      ],
      [
        'no one leads for 5 s, while streams end',
        async (old, next) => {
          old.loseLeader();
          await sleep(5_000);
          next.lead();
        },
      ],
      [
        'each node names another leader for seconds',
        async (old, next) => {
          old.nameDifferentLeader();
          await sleep(2_000);
          next.lead();
        },
      ],
      [
        'the leader is frozen, and wakes up as a former leader',
        async (old, next) => {
          await old.suspend();
          old.stopReplicating();
          await sleep(3_000);
          next.lead();
          await sleep(3_000);
          old.resume();
          await sleep(2_000);
          old.catchUp();
        },
      ],
      [
        'the leader is killed while a former leader is present',
        async (old, next, third) => {
          third.stopReplicating();
          await sleep(1_000);
          await old.kill();
          await sleep(2_000);
          next.lead();
          third.catchUp();
          await old.start();
        },
      ],
    ];

    /**
     * Records and approves sales until it is stopped. Remembers which were acknowledged, and every
     * response that the contract does not allow.
     */
    const startLoad = (account: TestAccount, affiliate: string) => {
      const acknowledged = new Map<string, Conversion>();
      const attempted: string[] = [];
      const outsideContract: string[] = [];

      /**
       * Resolves to the body of a success. Records any other response, except a refusal that the
       * contract allows.
       */
      const send = async <T>(
        what: string,
        request: () => Promise<ApiResponse<T>>,
      ): Promise<T | undefined> => {
        try {
          const response = await request();
          if (response.status < 300) return response.body;
          if (!refusals.has(response.status))
            outsideContract.push(`${what}: ${response.status} ${response.text}`);
        } catch (error) {
          outsideContract.push(`${what}: ${String(error)}`);
        }
        return undefined;
      };
      const record = (name: string): Promise<Conversion | undefined> => {
        const body = conversionBody(affiliate, { external_transaction_id: name });
        return send(`record ${name}`, () => account.api.post<Conversion>('/v1/conversions', body));
      };
      let writing = true;
      const load = Promise.all(
        Array.from({ length: writers }, async () => {
          while (writing) {
            const name = uniqueText('sale');
            attempted.push(name);
            const sale = await record(name);
            if (sale === undefined) {
              await sleep(100);
              continue;
            }
            acknowledged.set(name, sale);
            const path = `/v1/conversions/${sale.id}`;
            await send(`approve ${name}`, () =>
              account.api.patch<Conversion>(path, { status: 'approved' }),
            );
            await send(`get ${name}`, () => account.api.get<Conversion>(path));
          }
        }),
      );
      const stop = async (): Promise<void> => {
        writing = false;
        await load;
      };
      return { acknowledged, attempted, outsideContract, record, stop };
    };

    /** Changes the leader in each way in turn. Sales must be acknowledged after each change. */
    const changeLeader = async (acknowledged: ReadonlyMap<string, Conversion>): Promise<void> => {
      let leader = 0;
      for (let round = 0; round < rounds; round++) {
        const [what, change] = present(changes[round % changes.length]);
        const [old, next, third] = [0, 1, 2].map((n) =>
          present(cluster.nodes[(leader + n) % 3]),
        ) as [DoubleServer, DoubleServer, DoubleServer];
        await change(old, next, third);
        leader = (leader + 1) % 3;
        const before = acknowledged.size;
        const keepsSending = waitFor(() => acknowledged.size > before + writers, {
          timeoutMs: 60_000,
        });
        await keepsSending.catch((error: unknown) =>
          Promise.reject(
            new Error(`round ${round}, ${what}: ${String(error)}\n${service.logs().slice(-4_000)}`),
          ),
        );
      }
    };

    /** Every role is live, and none has reported that it rebuilds, stops or cancels anything. */
    const expectUntroubled = async (): Promise<void> => {
      for (const { role, opsUrl } of service.roles)
        expect([role, (await fetch(`${opsUrl}/health/live`)).status]).toEqual([role, 200]);
      const troubles = service
        .logs()
        .split('\n')
        .filter((line) =>
          /rebuilding it|has stopped|refuses to continue|canceled \d+ deliveries|unhandled/i.test(
            line,
          ),
        );
      expect(troubles).toEqual([]);
    };

    it(
      `after ${rounds} changes: sent = stored = counted = delivered, and nothing is stopped`,
      async () => {
        const account = await TestAccount.open(service);
        const { id: affiliate } = await account.affiliate();
        await account.subscribe(receiver.url('/ledger'), ['conversion.created']);
        const { acknowledged, attempted, outsideContract, record, stop } = startLoad(
          account,
          affiliate,
        );
        await changeLeader(acknowledged).finally(stop);
        await service.ready();
        expect(outsideContract).toEqual([]);
        await expectUntroubled();

        const unknown = attempted.filter((name) => !acknowledged.has(name));
        for (const name of unknown) acknowledged.set(name, await waitFor(() => record(name)));
        process.stderr.write(
          `      ${rounds} changes of the leader: ${attempted.length} sent, ${attempted.length - unknown.length} acknowledged, ${unknown.length} refused and sent again\n`,
        );

        await expectEverywhere([...acknowledged.values()], {
          account,
          affiliate,
          receiver,
          service,
          eventLogUrl: cluster.url,
        });
      },
      scaledTimeout(60_000) * (2 + rounds),
    );
  },
);
