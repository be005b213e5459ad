import type { Status } from './books.js';
import type { Minute } from './day.js';

export type Tone = 'good' | 'quiet' | 'warn' | 'bad';
export type ServiceState = 'starting' | 'up' | 'killed';
/** The state of the webhook that a request causes. */
export type Delivery = 'none' | 'awaited' | 'valid' | 'invalid';

/** One request of the shop, or one incident. */
export interface Line {
  readonly id: number;
  readonly at: Minute;
  readonly subject: string;
  readonly who: string;
  readonly amount: string;
  readonly answer: string;
  /** A text in place of a request's columns. */
  readonly note?: string;
  readonly tone: Tone;
  readonly delivery: Delivery;
  /** The time from the request to its webhook, in milliseconds. */
  readonly deliveryMs?: number;
}

export interface Counts {
  readonly requests: number;
  readonly refused: number;
  readonly duplicates: number;
  readonly retries: number;
  readonly delivered: number;
  readonly invalid: number;
  readonly repeated: number;
  readonly turnedAway: number;
}

/** The contents of the screen. */
export interface Story {
  readonly minute: Minute;
  readonly service: ServiceState;
  readonly lines: readonly Line[];
  readonly counts: Counts;
  readonly statistics: Statistics;
}

/** The service's own statistics by currency and by affiliate. */
export interface Statistics {
  readonly currencies: readonly (Readonly<Record<'orders' | Status, number>> & {
    readonly currency: string;
    readonly amount: number;
  })[];
  readonly affiliates: readonly {
    readonly name: string;
    readonly orders: number;
    readonly approved: number;
    readonly amount: number;
    readonly currency: string;
  }[];
}

/** One message of the story. */
export type Telling =
  | { readonly tell: 'clock'; readonly minute: Minute }
  | { readonly tell: 'service'; readonly state: ServiceState }
  | { readonly tell: 'line'; readonly line: Line }
  | {
      readonly tell: 'delivered';
      readonly id: number;
      readonly valid: boolean;
      readonly ms: number;
    }
  | { readonly tell: 'counts'; readonly counts: Counts }
  | { readonly tell: 'statistics'; readonly statistics: Statistics };

export const beginning: Story = {
  minute: 0,
  service: 'starting',
  lines: [],
  statistics: { currencies: [], affiliates: [] },
  counts: {
    requests: 0,
    refused: 0,
    duplicates: 0,
    retries: 0,
    delivered: 0,
    invalid: 0,
    repeated: 0,
    turnedAway: 0,
  },
};

/** The story after one more message. A line replaces an earlier line with the same id. */
export const goOn = (story: Story, telling: Telling): Story => {
  switch (telling.tell) {
    case 'clock':
      return { ...story, minute: Math.max(story.minute, telling.minute) };
    case 'service':
      return { ...story, service: telling.state };
    case 'line':
      return { ...story, lines: withLine(story.lines, telling.line) };
    case 'delivered':
      return {
        ...story,
        lines: story.lines.map((line) =>
          line.id === telling.id
            ? { ...line, delivery: telling.valid ? 'valid' : 'invalid', deliveryMs: telling.ms }
            : line,
        ),
      };
    case 'counts':
      return { ...story, counts: telling.counts };
    case 'statistics':
      return { ...story, statistics: telling.statistics };
  }
};

/**
 * Adds or replaces a line. Its webhook may have arrived before the answer to its request, so the
 * webhook's state is kept.
 */
const withLine = (lines: readonly Line[], line: Line): readonly Line[] => {
  const before = lines.find(({ id }) => id === line.id);
  if (before === undefined) return [...lines, line].slice(-kept);
  const { delivery, deliveryMs } = before;
  const arrived = delivery === 'valid' || delivery === 'invalid';
  return lines.map((one) =>
    one === before
      ? { ...line, ...(arrived && { delivery, ...(deliveryMs !== undefined && { deliveryMs }) }) }
      : one,
  );
};

/** More lines than any terminal has rows. */
const kept = 200;
