import { randomUUID } from 'node:crypto';
import { isPublicEventType, newId, streams, type Position } from '@refledger/contracts';
import { pendingStop, processorDecider, type ProcessorCommand } from '@refledger/domain';
import { CommandHandler, newContext } from '@refledger/application';
import { readDecisions, type EventLog } from '@refledger/event-log';
import { itInFull, eventually, waitFor } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import { describeOnServer } from '@refledger/testing/servers';
import { Kafka, logLevel, type Admin } from 'kafkajs';
import { openKafkaPublication } from '../../src/kafka/publishing/kafka-publication.js';
import { EventWriter } from '../../src/conformance/sample-events.js';
import { expectOnceInOrder, publicEvents, readAll } from './ledger.js';
import { quiet } from './quiet.js';
import { RelayProcess, type RelayProcessOptions } from './relays.js';
import { openSampleLog, type SampleLog } from './sample-log.js';

describeOnServer('Kafka', 'relays on a broker', (server) => {
  let sample: SampleLog;
  let log: EventLog;
  let prefix: string;
  let relays: RelayProcess[];
  beforeEach(async () => {
    sample = await openSampleLog();
    ({ log } = sample);
    prefix = `test-${randomUUID()}`;
    relays = [];
  });
  afterEach(async () => {
    for (const relay of relays) await relay.end();
    await sample.remove();
  });

  const brokers = () => server().url.split(',');
  const start = (options: Partial<RelayProcessOptions> = {}): RelayProcess => {
    const relay = new RelayProcess(log, {
      file: sample.file,
      brokers: brokers(),
      prefix,
      partitions: 3,
      session: { sessionTimeout: 6_000, heartbeatInterval: 500 },
      ...options,
    });
    relays.push(relay);
    return relay;
  };
  const write: SampleLog['write'] = (affiliates, changes) => sample.write(affiliates, changes);
  /** The working relay, once exactly one works and all others stand by. */
  const activeRelay = (): Promise<RelayProcess> =>
    eventually(
      () => {
        const running = relays.filter(({ child }) => child.signalCode === null);
        const [working, ...more] = running.filter(
          ({ status }) => status?.standingBy === false && status.state === 'live',
        );
        if (
          working === undefined ||
          more.length > 0 ||
          running.some((relay) => relay !== working && relay.status?.standingBy !== true)
        )
          throw new Error(`${more.length + 1} of ${running.length} relays are working`);
        return working;
      },
      { timeoutMs: 60_000 },
    );
  const expectPublishedOnce = async (): Promise<void> =>
    expectOnceInOrder(await readAll(brokers(), prefix), log);

  it('publish each event once, and continue after a clean shutdown', async () => {
    await write(10, 5);
    const first = start();
    await first.caughtUp();
    await first.end();
    await write(10, 5);
    await start().caughtUp();
    await expectPublishedOnce();
  });

  it('that are killed inside a transaction publish no part of it, and the next one publishes it once', async () => {
    await write(20, 5);
    const first = start({ holdCommit: 1 });
    await first.inside;
    await first.end('SIGKILL');
    await start().caughtUp();
    await expectPublishedOnce();
    expect((await readAll(brokers(), prefix, { uncommitted: true })).length).toBeGreaterThanOrEqual(
      200,
    );
  });

  itInFull(
    'that are suspended inside a transaction until their session ends are fenced off, and another publishes it once',
    async () => {
      await write(20, 5);
      const first = start({ holdCommit: 1 });
      await first.inside;
      first.signal('SIGSTOP');
      const second = start();
      await second.caughtUp();
      expect(
        (await readAll(brokers(), prefix, { uncommitted: true })).length,
      ).toBeGreaterThanOrEqual(200);
      first.go();
      first.signal('SIGCONT');
      await write(5, 2);
      // From now on the group decides which relay leads, and may stop one inside a transaction.
      await (await activeRelay()).caughtUp();
      await expectPublishedOnce();
    },
  );

  it('can publish nothing more once another one has started a session', async () => {
    const publication = openKafkaPublication({
      brokers: brokers(),
      prefix,
      partitions: 3,
      logger: quiet,
    });
    try {
      const leadership = await publication.lead(new AbortController().signal, () => undefined);
      const through = { logId: log.id, position: present(await log.head()), eventId: randomUUID() };
      const suspended = await leadership.start();
      await suspended.publish([], through);
      const next = await leadership.start();

      await expect(suspended.publish([], through)).rejects.toThrow('epoch');
      await next.publish([], through);
      await Promise.all([suspended.close(), next.close()]);
    } finally {
      await publication.close();
    }
  });

  it('stand by while one of them publishes, and take over when it is killed', async () => {
    await write(5, 2);
    const first = start();
    await first.caughtUp();
    const others = [start(), start()];
    // A single wait for both, because a wait for a relay that gets killed would outlive the test.
    await waitFor(() => others.some(({ status }) => status?.standingBy), { timeoutMs: 60_000 });
    for (let kills = 0; kills < 2; kills++) {
      const working = await activeRelay();
      const writing = write(10, 5);
      await working.end('SIGKILL');
      await writing;
    }
    await (await activeRelay()).caughtUp();
    await expectPublishedOnce();
  });

  itInFull(
    'wait for a broker that is killed, suspended or restarted while they publish, and lose or duplicate nothing',
    async () => {
      if (server().from === 'environment') return;
      const relay = start();
      for (const inject of [
        async () => (await server().kill(), await write(20, 5), await server().start()),
        async () => (
          server().pause(),
          await write(20, 5),
          await relay.waitForState('retrying'),
          server().resume()
        ),
        async () => (await server().restart(), await write(20, 5)),
      ]) {
        await write(10, 5);
        await relay.caughtUp();
        const writing = write(20, 10);
        await inject();
        await writing;
        await relay.caughtUp();
      }
      await expectPublishedOnce();
    },
  );

  itInFull('wait for a broker that is unavailable when they start', async () => {
    if (server().from === 'environment') return;
    await server().kill();
    const relay = start();
    await relay.waitForState('retrying');
    await write(3, 2);
    await server().start();
    await relay.caughtUp();
    await expectPublishedOnce();
  });

  it('refuse to continue once their checkpoint is lost, until an operator decides', async () => {
    await write(3, 2);
    const first = start();
    await first.caughtUp();
    await first.end();
    await withAdmin((admin) => admin.deleteTopics({ topics: [`${prefix}.relay-checkpoints`] }));
    const second = start();
    await second.waitForState('stopped');
    expect(second.status?.error).toMatch(
      /checkpoint is lost.*ops resume relay --from start\|head\|<position>/,
    );
    await write(3, 2);
    expect((await readAll(brokers(), prefix)).length).toBe(6);
    await decide({
      type: 'resume',
      processor: 'relay',
      from: String((await publicEventsAt(log))[5]),
      stop: pendingStop((await readDecisions(log, 'relay')).state),
    });
    await second.caughtUp();
    await expectPublishedOnce();
  });

  it('stop at an unreadable event after publishing everything before it, until it is skipped', async () => {
    const writer = new EventWriter(log);
    const affiliate = newId('affiliate');
    await writer.createAffiliate(affiliate);
    const poison = await writer.breakAffiliate(affiliate);
    await writer.renameAffiliate(affiliate, 'after');
    const relay = start();
    await relay.waitForState('stopped');
    expect(relay.status?.error).toContain(poison);
    expect((await readAll(brokers(), prefix)).length).toBe(1);
    await decide({
      type: 'skip',
      processor: 'relay',
      event_id: poison,
      position: present((await publicEventsAt(log))[1]),
    });
    await relay.caughtUp();
    const seen = await readAll(brokers(), prefix);
    expect(seen.map(({ id }) => id)).toEqual((await publicEvents(log)).filter((_, n) => n !== 1));
  });

  const decide = (command: ProcessorCommand) =>
    new CommandHandler(log).run({
      stream: streams.processor('relay'),
      decider: processorDecider,
      command,
      context: newContext({ accountId: null, actor: 'test', requestId: 'test' }),
    });
  const withAdmin = async (work: (admin: Admin) => Promise<unknown>): Promise<void> => {
    const admin = new Kafka({ brokers: brokers(), logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    await work(admin).finally(() => admin.disconnect());
  };
});

const publicEventsAt = async (log: EventLog): Promise<readonly Position[]> => {
  const positions: Position[] = [];
  for await (const { events } of log.readAll())
    positions.push(
      ...events.filter(({ type }) => isPublicEventType(type)).map(({ position }) => position),
    );
  return positions;
};
