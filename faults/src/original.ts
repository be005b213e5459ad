import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoggedEvent } from '@refledger/event-log';
import { startHookReceiver, type HookReceiver, Random } from '@refledger/testing';
import { Client } from './client.js';
import { copyDirectory } from './copies.js';
import { Ledger, readLedger } from './ledger.js';
import type { Writing } from './load/act.js';
import { createFirstAffiliates } from './load/affiliates.js';
import { subscribeTo } from './load/endpoints.js';
import { createPrograms } from './load/programs.js';
import { KnownRecords } from './load/known-records.js';
import { startWriters, withoutPayouts } from './load/writers.js';
import { standaloneSubject } from './subject.js';

/**
 * A copy of the directory, and the highest position that was acknowledged before the copying
 * started.
 */
export interface Copy {
  readonly directory: string;
  readonly acknowledged: bigint;
}

/** A service under load that was copied at random moments and finally killed. */
export interface Original {
  readonly key: string;
  /** Everything that it ever wrote. */
  readonly events: readonly LoggedEvent[];
  /** Oldest first, taken while the process was paused: what a crash at that moment leaves. */
  readonly still: readonly Copy[];
  /** Taken while it kept running. */
  readonly running: readonly Copy[];
  readonly receiver: HookReceiver;
}

/**
 * Starts a service, puts it under load, makes `copies` copies of each kind, and kills it. Between
 * two copies, the webhook dispatcher gets past the end of the earlier copy's log.
 */
export const makeOriginal = async (
  directory: string,
  random: Random,
  copies: number,
): Promise<Original> => {
  const dataDir = join(directory, 'original');
  await mkdir(dataDir, { recursive: true });
  const receiver = await startHookReceiver();
  const subject = await standaloneSubject(dataDir);
  const { service } = subject;
  const ledger = new Ledger(join(directory, 'ledger.jsonl'));
  const client = new Client(service.baseUrl, service.adminKey, ledger);
  const writing: Writing = {
    client,
    known: new KnownRecords(),
    random,
    receiver: (path) => receiver.url(path),
  };
  try {
    await createPrograms(writing);
    await createFirstAffiliates(writing);
    await subscribeTo(writing, '/steady');
    const load = startWriters(writing, 8, withoutPayouts);
    const copyTo = async (name: string): Promise<Copy> => {
      const acknowledged = await lastAcknowledged(ledger.path);
      await copyDirectory(dataDir, join(directory, name), random);
      return { directory: join(directory, name), acknowledged };
    };
    const still: Copy[] = [];
    const running: Copy[] = [];
    for (let n = 0; n < copies; n++) {
      await sleep(random.intBetween(300, 900));
      running.push(await copyTo(`running-${n}`));
      await sleep(random.intBetween(50, 400));
      service.signal('SIGSTOP');
      still.push(await copyTo(`still-${n}`));
      service.signal('SIGCONT');
      await sentSince(receiver, Date.now());
    }
    await service.kill();
    await load.stop();
    await receiver.settled();
    const log = await subject.openLog();
    const events: LoggedEvent[] = [];
    for await (const batch of log.readAll()) events.push(...batch.events);
    await log.close();
    return { key: service.adminKey, events, still, running, receiver };
  } finally {
    await service.kill();
    await client.close();
    ledger.close();
  }
};

/** Waits until the dispatcher has sent something that was recorded after `time`. */
const sentSince = (receiver: HookReceiver, time: number): Promise<unknown> =>
  receiver.waitFor('/steady', (hooks) =>
    hooks.some(({ envelope }) => Date.parse(envelope.timestamp) > time),
  );

const lastAcknowledged = async (ledger: string): Promise<bigint> => {
  let last = 0n;
  for (const { outcome } of await readLedger(ledger)) {
    if (
      outcome?.report === 'acknowledged' &&
      outcome.position !== null &&
      BigInt(outcome.position) > last
    )
      last = BigInt(outcome.position);
  }
  return last;
};
