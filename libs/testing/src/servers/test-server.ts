export type Engine = 'EventStoreDB' | 'MongoDB' | 'Kafka';

/** A server of an engine that a suite may use, and, where it was started for the suite, do harm to. One given by the environment refuses harm with an error. */
export interface TestServer {
  readonly engine: Engine;
  /** What it is: MongoDB's protocol may be spoken by another product. */
  readonly product: string;
  readonly version: string;
  readonly from: 'environment' | 'container' | 'installed' | 'double';
  /** What a client connects to; the same after a restart. */
  readonly url: string;
  /** Ends it in good order and starts it with the same data. */
  restart(): Promise<void>;
  /** Ends it at once, by SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again, after it has ended, at the same address with the same data; resolves once it serves. */
  start(): Promise<void>;
  /** Holds it still: its connections stay open and nothing answers. */
  pause(): void;
  resume(): void;
  /** Ends it and removes what was made for it. */
  stop(): Promise<void>;
}

/** The words in which a server names itself in titles and logs. */
export const nameOf = ({
  product,
  version,
  from,
}: Pick<TestServer, 'product' | 'version' | 'from'>): string => `${product} ${version} (${from})`;
