import type { Change, EndpointId, Position } from '@refledger/contracts';
import { endpointChange, endpointRecordAt, type EndpointChange } from '@refledger/domain';
import type { KeyNames } from '../history/shown-actor.js';
import type { RecordRead } from '../history/record-queries.js';
import { shownChange } from '../history/shown-change.js';
import type { EndpointReads, EventsPage } from './endpoint-reads.js';

/** What is needed to read the histories of endpoints. */
interface EndpointHistoriesParts {
  readonly endpoints: Pick<EndpointReads, 'events'>;
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
    const changes = shown.map((event) => {
      const change = endpointChange(event);
      return shownChange(
        { ...change, record: withRecords ? recordAfter(change) : undefined },
        read.caller.accountId,
        this.parts.keys,
      );
    });
    return { changes, next, position };
  }
}

const recordAfter = ({ event, after }: EndpointChange) =>
  after && endpointRecordAt(after, event.metadata.recorded_at);
