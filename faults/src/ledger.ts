import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type {
  Adjustment,
  Affiliate,
  Conversion,
  Delivery,
  Endpoint,
  Payout,
  PayoutRun,
  Program,
  Replay,
} from '@refledger/testing';

/** The kinds of writes. */
export type WriteKind =
  | 'program.create'
  | 'conversion.create'
  | 'conversion.update'
  | 'adjustment.create'
  | 'adjustment.update'
  | 'payout.create'
  | 'payout.update'
  | 'payout_run.create'
  | 'payout_run.update'
  | 'affiliate.create'
  | 'affiliate.update'
  | 'affiliate.delete'
  | 'endpoint.subscribe'
  | 'endpoint.update'
  | 'endpoint.unsubscribe'
  | 'replay.create'
  | 'delivery.redeliver';

/** A write that the load wants. */
export interface Intent {
  readonly what: WriteKind;
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** `Idempotency-Key` */
  readonly key?: string;
  /** The number of the write of unknown outcome that this one repeats. */
  readonly retryOf?: number;
}

/** Whether a write makes no event: it is about deliveries, which the log does not have. */
export const makesNoEvent = ({ what }: Pick<Intent, 'what'>): boolean =>
  what === 'replay.create' || what === 'delivery.redeliver';

/** The record that a response to a write holds. */
export type WrittenRecord =
  Conversion | Adjustment | Payout | PayoutRun | Affiliate | Program | Endpoint | Replay | Delivery;

/**
 * The outcome of a write. Refused: the service said that it did nothing. Unknown: no response
 * arrived.
 */
export type Outcome =
  | {
      readonly report: 'acknowledged';
      readonly status: number;
      readonly replayed: boolean;
      readonly position: string | null;
      readonly record: WrittenRecord | null;
    }
  | { readonly report: 'refused'; readonly status: number; readonly code: string }
  | { readonly report: 'unknown'; readonly error: string };

/** A write and its outcome, which is missing if the driver itself ended before it arrived. */
export interface Entry {
  readonly n: number;
  readonly intent: Intent;
  /** The highest position that had been acknowledged before it was sent. */
  readonly seen: bigint;
  readonly outcome?: Outcome;
}

/**
 * Records each request before it is sent, and its outcome afterward, as one line of JSON each, in a
 * file that the service never sees.
 */
export class Ledger {
  private readonly file: number;
  private last = 0;

  constructor(readonly path: string) {
    this.file = openSync(path, 'a', 0o600);
  }

  /**
   * Records a write that is about to be sent. Returns its number, which the write carries in
   * `X-Request-Id`.
   */
  sent(intent: Intent): number {
    this.write({ n: ++this.last, report: 'sent', intent });
    return this.last;
  }

  came(n: number, outcome: Outcome): void {
    this.write({ n, ...outcome });
  }

  /** Records anything else that helps a reader of the ledger: rounds, kills, starts. */
  note(what: object): void {
    this.write({ at: new Date().toISOString(), ...what });
  }

  close(): void {
    closeSync(this.file);
  }

  private write(line: object): void {
    writeSync(this.file, `${JSON.stringify(line)}\n`);
  }
}

/** Reads the ledger back from its file. */
export const readLedger = async (path: string): Promise<Entry[]> => {
  const writes = new Map<number, Omit<Entry, 'outcome'>>();
  const outcomes = new Map<number, Outcome>();
  let seen = 0n;
  for await (const text of createInterface({ input: createReadStream(path) })) {
    // Decoding boundary: the lines are those that `Ledger` writes.
    const { n, ...line } = JSON.parse(text) as { n?: number } & (
      { report: 'sent'; intent: Intent } | Outcome
    );
    if (n === undefined) continue;
    if (line.report === 'sent') {
      writes.set(n, { n, intent: line.intent, seen });
      continue;
    }
    outcomes.set(n, line);
    if (line.report !== 'acknowledged' || line.position === null) continue;
    const position = BigInt(line.position);
    if (position > seen) seen = position;
  }
  return [...writes].map(([n, write]) => {
    const outcome = outcomes.get(n);
    return { ...write, ...(outcome && { outcome }) };
  });
};

/** The request id that a write of the ledger carries into the event log: a UUID, which is kept. */
export const requestIdOf = (n: number): string =>
  `00000000-0000-8000-8000-${String(n).padStart(12, '0')}`;
