import type { FormatIds } from './format-ids.js';

/** What a service needs to run on a fixture, and how it was read. */
export interface Manifest {
  readonly formats: FormatIds;
  /** When the API was read, by the clock of the service. */
  readonly read_at: string;
  /** A month (UTC) with statements. */
  readonly month: string;
  readonly account_id: string;
  readonly operator_key: string;
  readonly account_key: string;
  /** The new key and the one that it replaced. */
  readonly secrets_key: string;
}
