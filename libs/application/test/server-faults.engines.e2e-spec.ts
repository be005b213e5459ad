import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { noCommission } from '@refledger/contracts';
import type { EventInputOf, StreamName } from '@refledger/contracts';
import type { Decider } from '@refledger/domain';
import { isEventLogError, type EventLog } from '@refledger/event-log';
import { eventsOf, newStream } from '@refledger/event-log/conformance';
import { openEventStoreDbEventLog } from '@refledger/event-log/eventstoredb';
import { scaledTimeout } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import {
  serverFaults,
  startDisposableEventStoreDb,
  type TestServer,
} from '@refledger/testing/servers';
import { newContext } from '../src/command-context.js';
import { CommandHandler } from '../src/command-handler.js';

let server: TestServer;
const logs: EventLog[] = [];
beforeAll(async () => {
  server = await startDisposableEventStoreDb();
});
afterAll(() => server.stop());
afterEach(async () => {
  for (const log of logs.splice(0)) await log.close();
});

/** Short, so that a suspended server is noticed soon. */
const deadlineMs = scaledTimeout(2_000);
const open = async (): Promise<EventLog> => {
  const log = await openEventStoreDbEventLog({ url: server.url, deadlineMs });
  logs.push(log);
  return log;
};

it.each(serverFaults(() => server, deadlineMs))(
  'counts each command on one record once while the server is %s',
  async (_name, injectFault) => {
    const [log, other] = [await open(), await open()];
    const handlers = [
      new CommandHandler(log, { maxAttempts: 200 }),
      new CommandHandler(other, { maxAttempts: 200 }),
    ];
    const stream: StreamName = newStream('counter');
    const runs = Array.from({ length: 30 }, (_, n) => countOn(present(handlers[n % 2]), stream));
    await sleep(5);
    await injectFault();
    await Promise.all(runs);
    expect(
      (await eventsOf(log.readStream(stream))).map(
        ({ data }) => (data as { after: { sale_amount: number } }).after.sale_amount,
      ),
    ).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
  },
);

/** Adds one to the counter. Repeats a command that ended without an outcome, as a client would. */
const countOn = async (handler: CommandHandler, stream: StreamName): Promise<void> => {
  for (const commandId = randomUUID(); ;) {
    try {
      await handler.run({
        stream,
        decider: counter,
        command: { by: commandId },
        context: newContext({ accountId: null, actor: 'tester', requestId: commandId }),
      });
      return;
    } catch (error) {
      if (!isEventLogError(error, 'unavailable', 'unknown_outcome')) throw error;
      await sleep(50);
    }
  }
};

/** A counter that remembers who has counted already, as an idempotency key would. */
const counter: Decider<
  { by: string },
  { readonly count: number; readonly by: readonly string[] },
  EventInputOf<'conversion'>
> = {
  initial: { count: 0, by: [] },
  decide: ({ by }, { count, by: before }) =>
    before.includes(by)
      ? []
      : [
          {
            type: 'conversion.created',
            data: {
              conversion_id: 'conv_a',
              affiliate_id: 'aff_a',
              program_id: 'prog_a',
              sale_currency: 'USD',
              occurred_at: '2026-01-31T09:30:00.000Z',
              payable_on: '2026-01-31',
              external_transaction_id: by,
              basis: { reported_occurred_at: null, terms: null, first_occurred_at: null },
              after: {
                status: 'pending',
                sale_amount: count + 1,
                refunded_amount: 0,
                commission_amount: 0,
                commission: noCommission,
                reason: null,
                metadata: {},
                payout_id: null,
              },
            },
          },
        ],
  evolve: ({ by }, event) => ({
    count: event.data.after.sale_amount,
    by: [
      ...by,
      event.type === 'conversion.created' ? (event.data.external_transaction_id ?? '') : '',
    ],
  }),
};
