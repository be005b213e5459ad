/** Options that the adapters need besides the URL. Each uses those that apply to its engine. */
export interface OpenDeliveryStoreOptions {
  /** The data directory, where `sqlite:` keeps its file. */
  readonly dataDir: string;
  /** Called when the store has crashed: all further calls fail, so the process should end. */
  readonly onCrash?: (error: Error) => void;
}
