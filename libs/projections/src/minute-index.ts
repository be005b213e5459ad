import { comparePositions, toInstant, type LogId, type Position } from '@refledger/contracts';
import type { Filter, ReadResult, ReadStore } from '@refledger/read-store';
import {
  minuteIndexProjection,
  spanAround,
  spansOf,
  type SpanDocument,
} from './minute-index.projection.js';
import { paddedAfter, paddedPosition, unpaddedPosition } from './padded-position.js';

/** The point at which the log reaches a minute, as far as the read model knows it. */
export interface MinuteStart {
  /** Everything up to here was recorded before the minute; undefined is the log's start. */
  readonly after: Position | undefined;
  /** Whether the read model has an event that was recorded in the minute or later. */
  readonly isMarked: boolean;
  /** The read model has reached at least this position. */
  readonly through: Position | undefined;
}

/** Reads the minute index. */
export class MinuteIndex {
  constructor(
    private readonly store: Pick<ReadStore, 'find'>,
    private readonly logId: LogId,
  ) {}

  /**
   * Returns the point at which the log reaches the minute of an instant. If an event recorded in
   * the minute or later is marked, `after` is the mark before the first one; otherwise it is the
   * position that the read model has reached. Throws `ReadModelUnreadable`.
   */
  async startOf(instant: string): Promise<MinuteStart> {
    const { firsts, through } = await this.firstsSince(instant);
    const [first] = firsts.sort(comparePositions);
    if (first === undefined) return { after: through, isMarked: false, through };
    const { value } = await this.find([{ field: 'position', before: paddedPosition(first) }], true);
    return { after: value, isMarked: true, through };
  }

  /**
   * Returns the day of log time at a position that the marks have reached; undefined before the
   * first event of an account.
   */
  async dayAt(position: Position): Promise<string | undefined> {
    let span: string | undefined = '';
    while (span !== undefined && span.length < dayLength)
      span = await this.lastWithin(span, position);
    return span;
  }

  /** The last marked span within a longer one, of those marked at this position or before. */
  private async lastWithin(within: string, position: Position): Promise<string | undefined> {
    const { value } = await this.store.find(minuteIndexProjection, this.logId, 'spans', {
      where: [
        { field: 'within', equals: within },
        { field: 'position', before: paddedAfter(position) },
      ],
      order: { fields: ['position', 'span'], descending: true },
      limit: 1_000,
    });
    // the decoding boundary: the projection wrote these documents
    const spans = (value as readonly SpanDocument[]).map(({ span }) => span);
    return spans.sort().at(-1);
  }

  /**
   * The first position in the rest of each span: in the hour from the minute on, in the day from
   * the next hour on, and so on. The lookups do not all reflect one instant, so positions after the
   * earliest position that one of them reflects are omitted.
   */
  private async firstsSince(instant: string): Promise<{
    readonly firsts: Position[];
    readonly through: Position | undefined;
  }> {
    const [minute = '', ...longer] = spansOf(instant);
    const [before = ''] = spansOf(toInstant(Date.parse(instant) - 60_000));
    const found = await Promise.all([
      this.firstAfter(before, minute),
      ...longer.map((span) => this.firstAfter(span, span)),
    ]);
    const reached = found.flatMap(({ position }) => position ?? []).sort(comparePositions);
    const through = reached.length < found.length ? undefined : reached[0];
    const isReached = (position: Position): boolean =>
      through !== undefined && comparePositions(position, through) <= 0;
    return { firsts: found.flatMap(({ value }) => value ?? []).filter(isReached), through };
  }

  /** The first position recorded after `span`, in the spans beside `sibling`. */
  private firstAfter(span: string, sibling: string): Promise<ReadResult<Position | undefined>> {
    return this.find([
      { field: 'within', equals: spanAround(sibling) },
      { field: 'span', after: span },
    ]);
  }

  private async find(
    where: readonly Filter[],
    descending = false,
  ): Promise<ReadResult<Position | undefined>> {
    const order = { fields: ['position', 'span'], descending };
    const query = { where, order, limit: 1 };
    const { value, position } = await this.store.find(
      minuteIndexProjection,
      this.logId,
      'spans',
      query,
    );
    // the decoding boundary: the projection wrote this document
    const [mark] = value as readonly SpanDocument[];
    return { value: mark && unpaddedPosition(mark.position), position };
  }
}

const { length: dayLength } = '2026-11-24';
