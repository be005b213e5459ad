/** Options that the adapters need besides the URL. Each uses those that apply to its engine. */
export interface OpenReadStoreOptions {
  /** The data directory, where `sqlite:` keeps its file. */
  readonly dataDir: string;
  /**
   * `read` refuses writes, other than of key uses. `write` checks first that MongoDB has every
   * declared index. In either mode SQLite creates a missing store, so threads may open in any order.
   */
  readonly mode: 'write' | 'read';
  /**
   * Whether opening fails while a server is unavailable; if false, the first read fails. Default:
   * true.
   */
  readonly waitForServer?: boolean;
}
