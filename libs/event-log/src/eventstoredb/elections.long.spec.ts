import { cpSync, existsSync, rmSync } from 'node:fs';
import { EventStoreDBClient } from '@eventstore/db-client';
import type { Position, StreamName } from '@refledger/contracts';
import { eventually, scaledTimeout, waitFor } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import { open, startCluster, startDouble } from '../../test/eventstoredb/logs.js';
import {
  batchesOf,
  eventsOf,
  faultOf,
  idsOf,
  newEvents,
  newStream,
} from '../conformance/under-test.js';
import type { EventLog } from '../event-log.js';

/** Longer than the server takes to answer that an append was not committed. */
const deadlineMs = scaledTimeout(4_000);

const appended = async (log: EventLog): Promise<{ stream: StreamName; position: Position }> => {
  const stream = newStream();
  const { position } = await log.append(stream, newEvents(1), 'no stream');
  return { stream, position: present(position) };
};
/**
 * Repeats an append while its outcome is unknown, as the command handler does: a call to an
 * abandoned leader may end before it is answered.
 */
const appendUntilAcknowledged = async (log: EventLog): Promise<StreamName> => {
  const [stream, events] = [newStream(), newEvents(1)];
  return eventually(async () => {
    await log.append(stream, events, 'no stream');
    return stream;
  });
};

/** Copies a database together with its write-ahead log. */
const copyFiles = (from: string, to: string): void => {
  for (const part of ['', '-wal', '-shm']) {
    rmSync(`${to}${part}`, { force: true });
    if (existsSync(`${from}${part}`)) cpSync(`${from}${part}`, `${to}${part}`);
  }
};

describe('an election', () => {
  it.each(['nameDifferentLeader', 'loseLeader'] as const)(
    'does not prove that an event is missing (%s)',
    async (begin) => {
      const { nodes, url } = await startCluster();
      const log = await open(url, deadlineMs);
      const { stream, position } = await appended(log);

      nodes[0][begin]();

      expect(await faultOf(log.eventAt(position))).toEqual({ kind: 'unavailable' });
      expect(await faultOf(eventsOf(log.readStream(stream)))).toEqual({ kind: 'unavailable' });
      nodes[1].lead();
      await eventually(async () => expect(await log.eventAt(position)).toMatchObject({ stream }));
    },
  );

  it('in which all calls fail causes no unhandled rejection', async () => {
    const { nodes, url } = await startCluster();
    const log = await open(url, deadlineMs);
    const { position } = await appended(log);
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const ends = Array.from({ length: 12 }, async () => {
      const signal = new AbortController().signal;
      return faultOf(batchesOf(log.subscribe({ after: position, signal })));
    });
    // by now all subscriptions are open
    const { position: last } = await appended(log);

    nodes[0].loseLeader();
    let isOver = false;
    const over = Promise.all(ends).then((faults) => {
      isOver = true;
      return faults;
    });
    while (!isOver) expect(await faultOf(log.eventAt(last))).toEqual({ kind: 'unavailable' });

    expect(new Set((await over).map(({ kind }) => kind))).toEqual(new Set(['unavailable']));
    nodes[2].lead();
    await eventually(async () => expect(await log.head()).toBe(last));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});

describe('a former leader', () => {
  it('is not trusted by a process that has seen later events', async () => {
    const { nodes, url } = await startCluster();
    const log = await open(url, deadlineMs);
    nodes[1].stopReplicating();
    const { stream, position } = await appended(log);

    await nodes[0].kill();

    expect(await faultOf(eventsOf(log.readStream(stream)))).toEqual({ kind: 'unavailable' });
    expect(await faultOf(log.eventAt(position))).toEqual({ kind: 'unavailable' });
    nodes[2].lead();
    expect(await eventually(() => eventsOf(log.readStream(stream)))).toHaveLength(1);
  });

  it('cannot rule out an event before it has committed', async () => {
    const { nodes, url } = await startCluster();
    const log = await open(url, deadlineMs);
    nodes[1].stopReplicating();
    const { stream, position } = await appended(log);
    await nodes[0].kill();
    const fresh = await open(nodes[1].url, deadlineMs);

    expect(await faultOf(fresh.eventAt(position))).toEqual({ kind: 'unavailable' });
    nodes[1].catchUp();
    nodes[1].lead();
    await eventually(async () => expect(await fresh.eventAt(position)).toMatchObject({ stream }));
  });

  it('is abandoned by appends once the cluster has a new one', async () => {
    const { nodes, url } = await startCluster();
    const log = await open(url, deadlineMs);
    await appended(log);
    nodes[0].stopReplicating();
    nodes[1].lead();
    const stream = await appendUntilAcknowledged(log);
    expect(await eventsOf((await open(nodes[1].url)).readStream(stream))).toHaveLength(1);
  });

  it.each([
    ['and another node names the new one', false],
    ['although the new one only names itself', true],
  ])(
    'that is suspended is abandoned, long before its own client notices, %s',
    async (_how, isAlone) => {
      const { nodes, url } = await startCluster();
      const log = await open(url, scaledTimeout(60_000));
      await appended(log);
      const client = EventStoreDBClient.connectionString(nodes[0].url);
      const raw = client.subscribeToAll();
      const noticed = jest.fn();
      raw.on('error', noticed).resume();
      await new Promise((resolve) => raw.once('confirmation', resolve));

      if (isAlone) await nodes[2].suspend();
      await nodes[0].suspend();
      const first = faultOf(log.append(newStream(), newEvents(1), 'no stream'));
      nodes[1].lead();
      expect(await first).toEqual({ kind: 'unknown_outcome' });
      await appended(log);

      expect(noticed).not.toHaveBeenCalled();
      for (const node of [nodes[0], nodes[2]]) node.resume();
      await raw.unsubscribe();
      (await client['getChannel']()).close();
    },
  );
});

describe('an append', () => {
  it('that repeats an uncommitted one gets the same result', async () => {
    const double = await startDouble({ commitAfterMs: 300 });
    const [log, other] = [await open(double.url, deadlineMs), await open(double.url, deadlineMs)];
    const [stream, events] = [newStream(), newEvents(2)];
    const responses = await Promise.all(
      [log, log, other].map((each) => each.append(stream, events, 'no stream')),
    );
    expect(new Set(responses.map(({ position }) => position)).size).toBe(1);
    expect(await eventsOf(log.readStream(stream))).toHaveLength(2);
  });
});

describe('a log that was restored from a backup', () => {
  it('while a process runs is detected, and the proof leaves no visible events', async () => {
    const double = await startDouble();
    const log = await open(double.url, deadlineMs);
    const kept = await appended(log);
    await double.kill();
    copyFiles(double.file, `${double.file}.backup`);
    await double.start();
    const lost = await waitFor(() => appended(log).catch(() => undefined));
    await double.kill();
    copyFiles(`${double.file}.backup`, double.file);
    await double.start();

    await eventually(async () => expect(await log.eventAt(lost.position)).toBeUndefined());

    expect(await log.eventAt(kept.position)).toMatchObject({ stream: kept.stream });
    expect(await eventsOf(log.readStream(lost.stream))).toEqual([]);
    expect(await log.head()).toBe(kept.position);
    expect(idsOf(await batchesOf(log.readAll({ after: kept.position })))).toEqual([]);
  });
});
