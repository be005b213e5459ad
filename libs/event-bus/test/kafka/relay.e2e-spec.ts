import { randomUUID } from 'node:crypto';
import { isEventKind, newId, streams, type Position } from '@refledger/contracts';
import { processorDecider, type ProcessorCommand } from '@refledger/domain';
import { CommandHandler, newContext, type EventLog } from '@refledger/event-log';
import { eventually, until } from '@refledger/testing';
import { describeOnServer } from '@refledger/testing/servers';
import { Kafka, logLevel, type Admin } from 'kafkajs';
import { Storyteller } from '../../src/conformance/sample-events.js';
import { expectOnceInOrder, publicEvents, readAll } from './ledger.js';
import { RelayProcess, type RelayProcessOptions } from './relays.js';
import { openToldLog, type ToldLog } from './told-log.js';

describeOnServer('Kafka', 'relays on a broker', (server) => {
  let told: ToldLog;
  let log: EventLog;
  let prefix: string;
  let relays: RelayProcess[];
  beforeEach(async () => {
    told = await openToldLog();
    ({ log } = told);
    prefix = `test-${randomUUID()}`;
    relays = [];
  });
  afterEach(async () => {
    for (const relay of relays) await relay.end();
    await told.remove();
  });

  const brokers = () => server().url.split(',');
  const start = (options: Partial<RelayProcessOptions> = {}): RelayProcess => {
    const relay = new RelayProcess(log, {
      file: told.file,
      brokers: brokers(),
      prefix,
      partitions: 3,
      session: { sessionTimeout: 6_000, heartbeatInterval: 500 },
      ...options,
    });
    relays.push(relay);
    return relay;
  };
  const write: ToldLog['write'] = (affiliates, changes) => told.write(affiliates, changes);
  /** The working relay, once exactly one works and all others stand by. */
  const theOneAtWork = (): Promise<RelayProcess> =>
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
          throw new Error(`of ${running.length} relays ${more.length + 1} work`);
        return working;
      },
      { timeoutMs: 60_000 },
    );
  const expectPublishedOnce = async (): Promise<void> =>
    expectOnceInOrder(await readAll(brokers(), prefix), log);

  it('publish each event once, and go on from there after an end in good order', async () => {
    await write(10, 5);
    const first = start();
    await first.caughtUp();
    await first.end();
    await write(10, 5);
    await start().caughtUp();
    await expectPublishedOnce();
  });

  it('that are killed inside a transaction have published nothing of it, and the next one publishes it once', async () => {
    await write(20, 5);
    const first = start({ holdCommit: 1 });
    await first.inside;
    await first.end('SIGKILL');
    await start().caughtUp();
    await expectPublishedOnce();
    expect((await readAll(brokers(), prefix, { uncommitted: true })).length).toBe(200);
  });

  it('that are held still inside a transaction, past their session, wake up shut out: another has published it, once', async () => {
    await write(20, 5);
    const first = start({ holdCommit: 1 });
    await first.inside;
    first.signal('SIGSTOP');
    const second = start();
    await second.caughtUp();
    first.go();
    first.signal('SIGCONT');
    await write(5, 2);
    // From now on the group decides whose turn it is.
    await (await theOneAtWork()).caughtUp();
    await expectPublishedOnce();
    expect((await readAll(brokers(), prefix, { uncommitted: true })).length).toBe(210);
  });

  it('stand by while one of them publishes, and one takes over when that one is killed', async () => {
    await write(5, 2);
    const first = start();
    await first.caughtUp();
    const others = [start(), start()];
    // A single wait for both, because a wait for a relay that gets killed would outlive the test.
    await until(() => others.some(({ status }) => status?.standingBy), { timeoutMs: 60_000 });
    for (let kills = 0; kills < 2; kills++) {
      const working = await theOneAtWork();
      const writing = write(10, 5);
      await working.end('SIGKILL');
      await writing;
    }
    await (await theOneAtWork()).caughtUp();
    await expectPublishedOnce();
  });

  it('wait for a broker that is killed, held still or restarted while they publish, and lose or double nothing', async () => {
    if (server().from === 'environment') return;
    const relay = start();
    for (const harm of [
      async () => (await server().kill(), await write(20, 5), await server().start()),
      async () => (
        server().pause(),
        await write(20, 5),
        await relay.is('retrying'),
        server().resume()
      ),
      async () => (await server().restart(), await write(20, 5)),
    ]) {
      await write(10, 5);
      await relay.caughtUp();
      const writing = write(20, 10);
      await harm();
      await writing;
      await relay.caughtUp();
    }
    await expectPublishedOnce();
  });

  it('wait for a broker that is not there when they start', async () => {
    if (server().from === 'environment') return;
    await server().kill();
    const relay = start();
    await relay.is('retrying');
    await write(3, 2);
    await server().start();
    await relay.caughtUp();
    await expectPublishedOnce();
  });

  it('refuse to go on once their checkpoint is lost, until an operator decides', async () => {
    await write(3, 2);
    const first = start();
    await first.caughtUp();
    await first.end();
    await withAdmin((admin) => admin.deleteTopics({ topics: [`${prefix}.relay-checkpoints`] }));
    const second = start();
    await second.is('stopped');
    expect(second.status?.error).toMatch(
      /checkpoint is lost.*ops resume relay --from start\|head\|<position>/,
    );
    await write(3, 2);
    expect((await readAll(brokers(), prefix)).length).toBe(6);
    await decide({
      type: 'resume',
      processor: 'relay',
      from: String((await publicEventsAt(log))[5]),
    });
    await second.caughtUp();
    await expectPublishedOnce();
  });

  it('stop at an event that this release can’t read, what stands before it published, until it is skipped', async () => {
    const story = new Storyteller(log);
    const affiliate = newId('affiliate');
    await story.createAffiliate(affiliate);
    const poison = await story.breakAffiliate(affiliate);
    await story.renameAffiliate(affiliate, 'after');
    const relay = start();
    await relay.is('stopped');
    expect(relay.status?.error).toContain(poison);
    expect((await readAll(brokers(), prefix)).length).toBe(1);
    await decide({
      type: 'skip',
      processor: 'relay',
      event_id: poison,
      position: (await publicEventsAt(log))[1]!,
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
      ...events.filter(({ type }) => isEventKind(type)).map(({ position }) => position),
    );
  return positions;
};
