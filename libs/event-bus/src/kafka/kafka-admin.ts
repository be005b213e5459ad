import type { Admin, Kafka } from 'kafkajs';
import { endedInTime } from './ended-in-time.js';
import type { Extent } from './place-in-partition.js';

/** Asks the cluster; connects when asked first, and anew after an error. */
export class KafkaAdmin {
  private connected: Promise<Admin> | undefined;

  constructor(private readonly kafka: Kafka) {}

  async ask<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
    const connected = (this.connected ??= this.connect());
    try {
      return await work(await connected);
    } catch (error) {
      if (this.connected === connected) this.connected = undefined;
      void connected.then((admin) => admin.disconnect()).catch(() => undefined);
      throw error;
    }
  }

  /** What there is of each partition of a topic. */
  async extentsOf(topic: string): Promise<ReadonlyMap<number, Extent>> {
    const offsets = await this.ask((admin) => admin.fetchTopicOffsets(topic));
    return new Map(offsets.map(({ partition, low, high }) => [partition, { low: BigInt(low), high: BigInt(high) }]));
  }

  async close(): Promise<void> {
    if (this.connected !== undefined) await endedInTime(this.connected.then((admin) => admin.disconnect()));
  }

  private async connect(): Promise<Admin> {
    const admin = this.kafka.admin();
    await admin.connect();
    return admin;
  }
}
