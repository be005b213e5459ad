import type { LoggedEvent } from '@refledger/event-log';

/** Events of one stream that follow one another directly: one append. */
export type Append = readonly [LoggedEvent, ...LoggedEvent[]];

/** So many in one append; far below its limit of 1 MiB together, while a single event may come near it. */
const most = { events: 100, bytes: 256 * 1024 };

/** The appends that make these events again, in their order. */
export const appendsOf = (events: readonly LoggedEvent[]): readonly Append[] => {
  const appends: [LoggedEvent, ...LoggedEvent[]][] = [];
  let bytes = 0;
  for (const event of events) {
    const last = appends.at(-1);
    const size = Buffer.byteLength(JSON.stringify([event.data, event.metadata]));
    if (
      last !== undefined &&
      last[0].stream === event.stream &&
      last.length < most.events &&
      bytes + size <= most.bytes
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
