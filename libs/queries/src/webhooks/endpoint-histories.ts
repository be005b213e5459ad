import type { Change, EndpointId, Position } from '@refledger/contracts';
import {
  endpointChanges,
  endpointRecordAt,
  needsEarlier,
  type Endpoint,
  type EndpointChange,
} from '@refledger/domain';
import type { ThrottledReads } from '@refledger/application';
import type { KeyNames } from '../history/shown-actor.js';
import type { RecordRead } from '../history/record-queries.js';
import { shownChange } from '../history/shown-change.js';
import type { EndpointEvent, EndpointReads, EventsPage } from './endpoint-reads.js';

/** What is needed to read the histories of endpoints. */
interface EndpointHistoriesParts {
  readonly endpoints: Pick<EndpointReads, 'events'>;
  readonly throttledReads: Pick<ThrottledReads, 'run'>;
  readonly keys: KeyNames;
}

/** A page of changes to an endpoint, and the position that it reflects. */
interface EndpointHistoryPage {
  readonly changes: readonly Change[];
  /** The revision after which the next page begins; undefined at the end of the history. */
  readonly next: number | undefined;
  readonly position: Position | undefined;
}

/** Reads the histories of webhook endpoints, existing or deleted, from their read model. */
export class EndpointHistories {
  constructor(private readonly parts: EndpointHistoriesParts) {}

  /** One page of the changes to an endpoint of the caller. */
  async page(
    read: RecordRead<EndpointId>,
    { after, newestFirst, size }: EventsPage,
    withRecords: boolean,
  ): Promise<EndpointHistoryPage> {
    // one more tells whether more follow
    const wanted = { after, newestFirst, size: size + 1 };
    const { value: events, position } = await this.parts.endpoints.events(read, wanted);
    const shown = events.slice(0, size);
    const next = events.length > size ? shown.at(-1)?.revision : undefined;
    const oldestFirst = await this.changes(read, newestFirst ? shown.reverse() : shown);
    const changes = oldestFirst.map((change) =>
      shownChange(
        { ...change, record: withRecords ? recordAfter(change) : undefined },
        read.caller.accountId,
        this.parts.keys,
      ),
    );
    return { changes: newestFirst ? changes.reverse() : changes, next, position };
  }

  /** What events of one endpoint changed, oldest first. */
  private async changes(
    read: RecordRead<EndpointId>,
    events: readonly EndpointEvent[],
  ): Promise<readonly EndpointChange[]> {
    const [first] = events;
    if (first === undefined || !needsEarlier(first)) return endpointChanges(events);
    const start = await this.parts.throttledReads.run(read.caller, () =>
      this.endpointBefore(read, first),
    );
    return endpointChanges(events, start);
  }

  /**
   * The endpoint before an event of an earlier release, which holds only what it changed: folded
   * from all the events before it, since they are of earlier releases, too.
   */
  private async endpointBefore(
    read: RecordRead<EndpointId>,
    { revision }: EndpointEvent,
  ): Promise<Endpoint | undefined> {
    let endpoint: Endpoint | undefined;
    for (let after: number | undefined; ;) {
      const batch = { after, newestFirst: false, size: maxBatchSize };
      const { value } = await this.parts.endpoints.events(read, batch);
      const earlier = value.filter((event) => event.revision < revision);
      const last = endpointChanges(earlier, endpoint).at(-1);
      if (last === undefined) return endpoint;
      endpoint = last.after;
      after = last.event.revision;
    }
  }
}

const maxBatchSize = 500;

const recordAfter = ({ event, after }: EndpointChange) =>
  after && endpointRecordAt(after, event.metadata.recorded_at);
