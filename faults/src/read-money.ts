import type { Balance, Entry, LedgerLines, Payout } from '@refledger/testing';
import type { Client } from './client.js';
import { PatientReader } from './patient-reader.js';

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
  const reader = new PatientReader(client, position);
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
  const reader = new PatientReader(client, position);
  const { balances, entries, payouts } = await readBalances(client, position);
  const lines = new Map<string, readonly Entry[]>();
  const records = new Map<string, Balance>();
  const ledgers = new Map<string, LedgerLines>();
  const asking = balances.values();
  const paying = payouts.values();
  const readNext = async (): Promise<void> => {
    for (const { id, on } of asking) {
      // on the same day as in the list, even after midnight
      records.set(id, await reader.get<Balance>(`/v1/balances/${id}?on=${on}`));
      ledgers.set(id, await ledgerOf(reader, id));
    }
    for (const { id } of paying)
      lines.set(id, await reader.walk<Entry>(`/v1/payouts/${id}/entries?limit=100`));
  };
  await Promise.all(Array.from({ length: 8 }, readNext));
  const oldestFirst = await reader.walk<Entry>('/v1/entries?limit=37&sort=position');
  return { balances, payouts, lines, entries: [...entries, oldestFirst], records, ledgers };
};

const ledgerOf = async (reader: PatientReader, id: string): Promise<LedgerLines> => {
  const lines = await reader.getText(`/v1/balances/${id}/ledger`);
  // decoding boundary: the black-box suites check these lines against the contract
  return lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown) as unknown as LedgerLines;
};
