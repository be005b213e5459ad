import { setTimeout as sleep } from 'node:timers/promises';
import type {
  SingleEndpointRecord,
  StatsPeriod,
  WebhookEndpointRecord,
  WebhookStatsRecord,
} from '@refledger/contracts';
import type { CommandHandler } from '@refledger/application';
import { DeliveryStoreError, type OpenDeliveryReader } from '@refledger/delivery-store';
import { previousStillSigning } from '@refledger/domain';
import type { Deliveries } from './deliveries.js';
import { endpointStats, statsRange } from './endpoint-stats.js';

const maxCounted = 10_000;
const withinMs = 1_000;

/** Shows webhook endpoints with what the delivery store knows of them. */
export class ShownEndpoints {
  constructor(
    private readonly deliveries: Pick<Deliveries, 'read'>,
    private readonly commands: Pick<CommandHandler, 'instant'>,
  ) {}

  /** As lists show them now: overlaps of secrets end by themselves. */
  async list(records: readonly WebhookEndpointRecord[]): Promise<readonly WebhookEndpointRecord[]> {
    const ids = records.map(({ id }) => id);
    const failingSince =
      ids.length === 0 ? undefined : await this.soon((reader) => reader.failingSince(ids));
    const now = this.commands.instant();
    return records.map((record) => shownAt(now, record, failingSince?.get(record.id)));
  }

  /** An endpoint on its own. Counts up to 10,000 deliveries that have not ended. */
  async single(record: WebhookEndpointRecord): Promise<SingleEndpointRecord> {
    const [[shown = record], counts] = await Promise.all([
      this.list([record]),
      this.soon((reader) => reader.countUnfinished(record.id, maxCounted)),
    ]);
    return { ...shown, waiting: counts?.unfinished ?? null, held: counts?.held ?? null };
  }

  /** An endpoint that was just subscribed: nothing has been sent to it. */
  subscribed(record: WebhookEndpointRecord): SingleEndpointRecord {
    return { ...shownAt(this.commands.instant(), record, undefined), waiting: 0, held: 0 };
  }

  /** The statistics of an endpoint, which the dispatchers keep. Throws a `DeliveryStoreError`. */
  async stats(
    { id }: Pick<WebhookEndpointRecord, 'id'>,
    period: StatsPeriod,
  ): Promise<WebhookStatsRecord> {
    const now = Date.parse(this.commands.instant());
    const range = statsRange(id, period, now);
    const [points, oldest] = await this.deliveries.read((reader) =>
      Promise.all([reader.statistics(range), reader.oldestWaiting(id)]),
    );
    return endpointStats(range, points, { now, oldest });
  }

  /**
   * Reads details of endpoints. If the store can't be read, or takes too long, the endpoints are
   * shown without them.
   */
  private soon<T>(work: (reader: OpenDeliveryReader) => Promise<T>): Promise<T | undefined> {
    const late = sleep(withinMs, undefined, { ref: false });
    return Promise.race([this.deliveries.read(work).catch(undefinedIfUnreadable), late]);
  }
}

/** `failingSince`: since when the last attempts to the endpoint have failed, if they have. */
const shownAt = (
  now: string,
  record: WebhookEndpointRecord,
  failingSince: string | undefined,
): WebhookEndpointRecord => ({
  ...record,
  failing_since: record.status === 'enabled' ? (failingSince ?? null) : null,
  secret_rotation: previousStillSigning(record.secret_rotation, now),
});

const undefinedIfUnreadable = (error: unknown): undefined => {
  if (!(error instanceof DeliveryStoreError)) throw error;
};
