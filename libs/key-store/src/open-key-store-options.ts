/** Options that the adapters need besides the URL. Each uses those that apply to its engine. */
export interface OpenKeyStoreOptions {
  /** The data directory, where `sqlite:` keeps its file. */
  readonly dataDir: string;
  /** Whether to create a missing store. If false, opening it fails with `absent`. */
  readonly create: boolean;
  /** The id of a store that is created now; a random one by default. An existing store keeps its own. */
  readonly newId?: string | undefined;
  /** Called when the store has crashed: all further calls fail, so the process should end. */
  readonly onCrash?: (error: Error) => void;
}
