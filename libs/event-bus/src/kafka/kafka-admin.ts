import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin, Kafka } from 'kafkajs';
import { withTimeout } from './with-timeout.js';
import type { Extent } from './offset-in-partition.js';

/**
 * Asks the cluster; connects when asked first, and anew after an error. A cluster in which a partition is just getting its leader, as each of a new
 * topic does, is asked again for some seconds: the client gives up at once there.
 */
export class KafkaAdmin {
  private connected: Promise<Admin> | undefined;

  constructor(private readonly kafka: Pick<Kafka, 'admin'>) {}

  async ask<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
    for (const pauseMs of [100, 200, 400, 800, 1_600]) {
      try {
        return await this.askOnce(work);
      } catch (error) {
        if (!isGettingLeader(error)) throw error;
        await sleep(pauseMs);
      }
    }
    return this.askOnce(work);
  }

  /** What there is of each partition of a topic. */
  async extentsOf(topic: string): Promise<ReadonlyMap<number, Extent>> {
    const offsets = await this.ask((admin) => admin.fetchTopicOffsets(topic));
    return new Map(
      offsets.map(({ partition, low, high }) => [
        partition,
        { low: BigInt(low), high: BigInt(high) },
      ]),
    );
  }

  async close(): Promise<void> {
    if (this.connected !== undefined)
      await withTimeout(this.connected.then((admin) => admin.disconnect()));
  }

  private async askOnce<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
    const connected = (this.connected ??= this.connect());
    try {
      return await work(await connected);
    } catch (error) {
      if (this.connected === connected) this.connected = undefined;
      void connected.then((admin) => admin.disconnect()).catch(() => undefined);
      throw error;
    }
  }

  private async connect(): Promise<Admin> {
    const admin = this.kafka.admin();
    await admin.connect();
    return admin;
  }
}

const isGettingLeader = (error: unknown): boolean =>
  error instanceof Error &&
  'type' in error &&
  (error.type === 'LEADER_NOT_AVAILABLE' || error.type === 'NOT_LEADER_FOR_PARTITION');
