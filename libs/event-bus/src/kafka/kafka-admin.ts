import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin, Kafka } from 'kafkajs';
import { withTimeout } from './with-timeout.js';
import type { Extent } from './consuming/offset-in-partition.js';

/**
 * Sends requests to the cluster. Connects on the first request, and again after an error. While a
 * partition has no leader, as in a new topic, it retries for a few seconds, because the client
 * gives up immediately.
 */
export class KafkaAdmin {
  private current: Connection | undefined;

  constructor(private readonly kafka: Pick<Kafka, 'admin'>) {}

  async request<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
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
    const offsets = await this.request((admin) => admin.fetchTopicOffsets(topic));
    return new Map(
      offsets.map(({ partition, low, high }) => [
        partition,
        { low: BigInt(low), high: BigInt(high) },
      ]),
    );
  }

  async close(): Promise<void> {
    if (this.current !== undefined)
      await withTimeout(this.current.admin.then((admin) => admin.disconnect()));
  }

  private async askOnce<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
    const connection = (this.current ??= { admin: this.connect(), requests: 0 });
    connection.requests += 1;
    try {
      return await work(await connection.admin);
    } catch (error) {
      if (this.current === connection) this.current = undefined;
      throw error;
    } finally {
      connection.requests -= 1;
      // an error of one request must not disconnect the others
      if (this.current !== connection && connection.requests === 0)
        void connection.admin.then((admin) => admin.disconnect()).catch(() => undefined);
    }
  }

  private async connect(): Promise<Admin> {
    const admin = this.kafka.admin();
    await admin.connect();
    return admin;
  }
}

interface Connection {
  readonly admin: Promise<Admin>;
  /** How many requests use it now. */
  requests: number;
}

const isGettingLeader = (error: unknown): boolean =>
  error instanceof Error &&
  'type' in error &&
  (error.type === 'LEADER_NOT_AVAILABLE' || error.type === 'NOT_LEADER_FOR_PARTITION');
