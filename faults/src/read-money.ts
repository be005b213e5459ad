import {
  eventually,
  type Balance,
  type Entry,
  type LedgerLines,
  type Page,
  type Payout,
} from '@refledger/testing';
import type { Client } from './client.js';

/**
 * The API's responses about balances, entries and payouts, as soon as they reflect a position of
 * the log.
 */
export interface Money {
  readonly balances: readonly Balance[];
  /** Each way in which the entries were read, oldest first. */
  readonly entries: readonly (readonly Entry[])[];
  /** Balances that were read by id, from their own streams. */
  readonly records: ReadonlyMap<string, Balance>;
  readonly payouts: readonly Payout[];
  /** The lines of each payout, by the payout's id. */
  readonly lines: ReadonlyMap<string, readonly Entry[]>;
  /** The lines of each balance's ledger, by the balance's id. */
  readonly ledgers: ReadonlyMap<string, LedgerLines>;
}

/** Reads all balances and payouts, and the entries that follow those that are already known. */
export const readBalances = async (
  client: Client,
  position: string,
  known: readonly Entry[] = [],
): Promise<Money> => {
  const reader = new MoneyReader(client, position);
  const last = known.at(-1)?.id;
  const newer = await reader.walk<Entry>('/v1/entries?limit=100', ({ id }) => id === last);
  return {
    balances: await reader.walk<Balance>('/v1/balances?limit=100'),
    entries: [[...known, ...newer.toReversed()]],
    payouts: await reader.walk<Payout>('/v1/payouts?limit=100'),
    records: new Map(),
    ledgers: new Map(),
    lines: new Map(),
  };
};

/** Reads everything about money in every way that the API offers. */
export const readMoney = async (client: Client, position: string): Promise<Money> => {
  const reader = new MoneyReader(client, position);
  const { balances, entries, payouts } = await readBalances(client, position);
  const lines = new Map<string, readonly Entry[]>();
  const records = new Map<string, Balance>();
  const ledgers = new Map<string, LedgerLines>();
  const asking = balances.values();
  const paying = payouts.values();
  const readNext = async (): Promise<void> => {
    for (const { id } of asking) {
      records.set(id, await reader.get<Balance>(`/v1/balances/${id}`));
      ledgers.set(id, await reader.ledger(id));
    }
    for (const { id } of paying)
      lines.set(id, await reader.walk<Entry>(`/v1/payouts/${id}/entries?limit=100`));
  };
  await Promise.all(Array.from({ length: 8 }, readNext));
  const oldestFirst = await reader.walk<Entry>('/v1/entries?limit=37&sort=position');
  return { balances, payouts, lines, entries: [...entries, oldestFirst], records, ledgers };
};

/** Repeats each read until the service reflects the position: posting may have started over. */
class MoneyReader {
  private readonly headers: Readonly<Record<string, string>>;

  constructor(
    private readonly client: Client,
    position: string,
  ) {
    this.headers = { 'refledger-min-position': position };
  }

  async get<T>(path: string): Promise<T> {
    return this.repeated(path, async () => this.client.get<T>(path, this.headers));
  }

  /** Walks a list to its end, or to the first row for which `until` holds. */
  async walk<T>(path: string, until: (row: T) => boolean = () => false): Promise<T[]> {
    const found: T[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { data, next_cursor }: Page<T> = await this.get<Page<T>>(
        path + (cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`),
      );
      for (const row of data) {
        if (until(row)) return found;
        found.push(row);
      }
      cursor = next_cursor;
    }
    return found;
  }

  async ledger(id: string): Promise<LedgerLines> {
    const path = `/v1/balances/${id}/ledger`;
    const lines = await this.repeated(path, async () => {
      const { status, text } = await this.client.getText(path, this.headers);
      return { status, body: text };
    });
    // decoding boundary: the black-box suites check these lines against the contract
    return lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown) as unknown as LedgerLines;
  }

  private repeated<T>(
    path: string,
    read: () => Promise<{ readonly status: number; readonly body: T }>,
  ): Promise<T> {
    return eventually(
      async () => {
        const { status, body } = await read();
        if (status !== 200) throw new Error(`${path} returned ${status}: ${JSON.stringify(body)}`);
        return body;
      },
      { timeoutMs: 60_000, intervalMs: 50 },
    );
  }
}
