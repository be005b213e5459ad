import type { LoggedEvent } from '@refledger/event-log';

/** Consecutive events of one stream that are appended together. */
export type Append = readonly [LoggedEvent, ...LoggedEvent[]];

/**
 * The maximum number of events and bytes that are combined into one append. The bytes are far below
 * the limit of 1 MiB per append; a single event may come near that limit.
 */
const limits = { events: 100, bytes: 256 * 1024 };

/** Groups events into the appends that reproduce them in their order. */
export const appendsOf = (events: readonly LoggedEvent[]): readonly Append[] => {
  const appends: [LoggedEvent, ...LoggedEvent[]][] = [];
  let bytes = 0;
  for (const event of events) {
    const last = appends.at(-1);
    const size = Buffer.byteLength(JSON.stringify([event.data, event.metadata]));
    if (
      last !== undefined &&
      last[0].stream === event.stream &&
      last.length < limits.events &&
      bytes + size <= limits.bytes
    ) {
      last.push(event);
      bytes += size;
    } else {
      appends.push([event]);
      bytes = size;
    }
  }
  return appends;
};
