import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent, type AppendExpectedRevision } from '@eventstore/db-client';
import { startEventStoreDbDouble, type DoubleServer } from './double-process.js';

describe('the double', () => {
  let double: DoubleServer;
  let client: EventStoreDBClient;
  beforeAll(async () => {
    double = await startEventStoreDbDouble();
    client = EventStoreDBClient.connectionString(double.url);
  });
  afterAll(() => double.stop());

  const ids = async (stream: string): Promise<string[]> => {
    const found: string[] = [];
    for await (const { event } of client.readStream(stream)) found.push(event?.id ?? '');
    return found;
  };
  const append = (
    stream: string,
    expectedRevision: AppendExpectedRevision,
    ...events: ReturnType<typeof jsonEvent>[]
  ) => client.appendToStream(stream, events, { expectedRevision });

  it('identifies itself in its first line', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'refledger-double-'));
    const child = spawn(
      process.execPath,
      [
        join(__dirname, '../../../../bundle/eventstoredb-double.js'),
        '--file',
        join(directory, 'double.db'),
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [printed] = (await once(child.stdout, 'data')) as [Buffer];
    child.kill('SIGKILL');
    await once(child, 'close');
    rmSync(directory, { recursive: true });
    expect(printed.toString().split('\n')[0]).toMatch(
      /^This is a double of EventStoreDB for tests, not EventStoreDB\. .* it has no projections/,
    );
  });

  it('keeps acknowledged appends through a kill and recognizes repeats, but writes an append without an expected revision twice, like the server', async () => {
    const [stream, event] = [`s-${crypto.randomUUID()}`, jsonEvent({ type: 't', data: { n: 1 } })];
    const { nextExpectedRevision, position } = await append(stream, 'no_stream', event);
    const loose = jsonEvent({ type: 't', data: {} });
    await append(`${stream}-loose`, 'any', loose);
    await double.kill();
    await double.start();
    client = EventStoreDBClient.connectionString(double.url);
    expect(await append(stream, 'no_stream', event)).toEqual({
      success: true,
      nextExpectedRevision,
      position,
    });
    await append(`${stream}-loose`, 'any', loose);
    expect([await ids(stream), await ids(`${stream}-loose`)]).toEqual([
      [event.id],
      [loose.id, loose.id],
    ]);
  });

  it('accepts up to 1 MiB per append, including types and metadata', async () => {
    const event = (bytes: number) => jsonEvent({ type: 'tt', data: 'x'.repeat(bytes - 2 - 4) });
    await expect(
      append(`s-${crypto.randomUUID()}`, 'no_stream', event(1_048_577)),
    ).rejects.toMatchObject({ type: 'maximum-append-size-exceeded' });
    expect((await append(`s-${crypto.randomUUID()}`, 'no_stream', event(1_048_576))).success).toBe(
      true,
    );
  });

  it('rejects reads from a position without a record', async () => {
    const { position } = await append(
      `s-${crypto.randomUUID()}`,
      'no_stream',
      jsonEvent({ type: 't', data: {} }),
    );
    await append(`s-${crypto.randomUUID()}`, 'no_stream', jsonEvent({ type: 't', data: {} }));
    const beside = (position?.commit ?? 0n) + 1n;
    const read = async () => {
      for await (const _ of client.readAll({ fromPosition: { commit: beside, prepare: beside } }))
        return;
    };
    await expect(read()).rejects.toMatchObject({ type: 'unknown' });
  });

  it('has the events of deleted streams, and its own system events, in $all', async () => {
    const [stream, event] = [`s-${crypto.randomUUID()}`, jsonEvent({ type: 't', data: {} })];
    await append(stream, 'no_stream', event);
    await client.deleteStream(stream);
    const seen: string[] = [];
    for await (const { event: found } of client.readAll())
      seen.push(`${found?.streamId} ${found?.type}`);
    expect(seen).toEqual(
      expect.arrayContaining([`${stream} t`, `$$${stream} $metadata`, '$settings $UserCreated']),
    );
    await expect(ids(stream)).rejects.toMatchObject({ type: 'stream-not-found' });
  });
});
