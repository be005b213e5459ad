export type Engine = 'EventStoreDB' | 'MongoDB' | 'Kafka';

/**
 * A server of an engine that a suite may use and, if it was started for the suite, kill or suspend.
 * A server from the environment refuses that.
 */
export interface TestServer {
  readonly engine: Engine;
  /** The product's name, since another product may speak MongoDB's protocol. */
  readonly product: string;
  readonly version: string;
  readonly from: 'environment' | 'container' | 'installed' | 'double';
  /** The URL for clients, which stays the same after a restart. */
  readonly url: string;
  /** Stops the server cleanly and starts it again with the same data. */
  restart(): Promise<void>;
  /** Kills the server with SIGKILL. */
  kill(): Promise<void>;
  /**
   * Starts the server again, after it has ended, with the same address and data. Resolves once it
   * is ready.
   */
  start(): Promise<void>;
  /** Suspends the server: its connections stay open and get no responses. */
  pause(): void;
  resume(): void;
  /** Ends the server and removes everything that was created for it. */
  stop(): Promise<void>;
}

/** Returns the name of a server for titles and logs. */
export const nameOf = ({
  product,
  version,
  from,
}: Pick<TestServer, 'product' | 'version' | 'from'>): string => `${product} ${version} (${from})`;
