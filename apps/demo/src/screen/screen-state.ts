import type { Statistics } from '../checking/statistics.js';
import type { Minute } from '../day/day.js';

export type Tone = 'good' | 'quiet' | 'warn' | 'bad';
export type ServiceState = 'starting' | 'up' | 'killed';
/** The state of the webhook that a request causes. */
type Delivery = 'none' | 'awaited' | 'valid' | 'invalid';

/** One request of the shop, or one incident. */
export interface Line {
  readonly id: number;
  readonly at: Minute;
  readonly subject: string;
  readonly who: string;
  readonly amount: string;
  readonly response: string;
  /** Text in place of a request's columns. */
  readonly note?: string;
  readonly tone: Tone;
  readonly delivery: Delivery;
  /** The time from the request to its webhook, in milliseconds. */
  readonly deliveryMs?: number;
}

const noCounts = {
  requests: 0,
  refused: 0,
  duplicates: 0,
  retries: 0,
  delivered: 0,
  invalid: 0,
  repeated: 0,
  rejected: 0,
};
type Counts = Readonly<typeof noCounts>;

export interface ScreenState {
  readonly minute: Minute;
  readonly service: ServiceState;
  readonly lines: readonly Line[];
  readonly counts: Counts;
  readonly statistics: Statistics;
}

/** One message of the story. */
export type ScreenUpdate =
  | { readonly type: 'clock'; readonly minute: Minute }
  | { readonly type: 'service'; readonly state: ServiceState }
  | { readonly type: 'line'; readonly line: Line }
  | {
      readonly type: 'delivered';
      readonly id: number;
      readonly valid: boolean;
      readonly ms: number;
    }
  | { readonly type: 'counts'; readonly counts: Counts }
  | { readonly type: 'statistics'; readonly statistics: Statistics };

/** Shows the story: as a live screen or as plain lines. */
export interface Show {
  update(update: ScreenUpdate): void;
  /** Restores the terminal. May be called more than once. */
  close(): void;
}

export const initialState: ScreenState = {
  minute: 0,
  service: 'starting',
  lines: [],
  statistics: { currencies: [], affiliates: [] },
  counts: noCounts,
};

/** The story after one more message. A line replaces an earlier line with the same id. */
export const applyUpdate = (state: ScreenState, update: ScreenUpdate): ScreenState => {
  switch (update.type) {
    case 'clock':
      return { ...state, minute: Math.max(state.minute, update.minute) };
    case 'service':
      return { ...state, service: update.state };
    case 'line':
      return { ...state, lines: withLine(state.lines, update.line) };
    case 'delivered':
      return {
        ...state,
        lines: state.lines.map((line) =>
          line.id === update.id
            ? { ...line, delivery: update.valid ? 'valid' : 'invalid', deliveryMs: update.ms }
            : line,
        ),
      };
    case 'counts':
      return { ...state, counts: update.counts };
    case 'statistics':
      return { ...state, statistics: update.statistics };
  }
};

/**
 * Adds or replaces a line. Its webhook may have arrived before the response to its request, so the
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
