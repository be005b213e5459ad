import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin, Kafka } from 'kafkajs';
import { withTimeout } from './with-timeout.js';
import type { Extent } from './offset-in-partition.js';

/**
 * Sends requests to the cluster. Connects at the first request, and again after an error. While a
 * partition has no leader, as in a new topic, it retries for some seconds, because the client gives
 * up immediately.
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

  /** The extent of each partition of a topic. */
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
