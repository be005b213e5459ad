import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DataSets, type DataSet } from './data-set/data-sets.js';

export interface BenchOptions {
  /**
   * The directory for data sets and for the services' data. It must be on a disk: durable writes
   * are measured.
   */
  readonly dataDir: string;
  /** Small sets and short rounds, to check that everything works. The figures mean nothing. */
  readonly quick: boolean;
  readonly rounds: number;
  readonly report: (line: string) => void;
}

export type DataSetSize = 'ten thousand' | 'a million';

/** Calling `close` again does nothing. */
export interface Closable {
  close(): Promise<void>;
}

/** Gives rows their data sets and directories, and closes what they use. */
export class Bench {
  private readonly open: Closable[] = [];
  private closing: Promise<unknown> = Promise.resolve();
  private interrupted = false;
  private readonly noted = new Set<string>();
  private readonly dataSets: DataSets;

  constructor(private readonly options: BenchOptions) {
    this.dataSets = new DataSets(options.dataDir, options.report);
  }

  get rounds(): number {
    return this.options.rounds;
  }

  /** A duration in seconds, reduced to a twentieth in a quick run. */
  seconds(full: number): number {
    return this.options.quick ? full / 20 : full;
  }

  /** A count, reduced to a hundredth in a quick run. */
  count(full: number): number {
    return this.options.quick ? Math.ceil(full / 100) : full;
  }

  dataSet(size: DataSetSize): Promise<DataSet> {
    const full = size === 'ten thousand' ? 10_000 : 1_000_000;
    return this.dataSets.get(
      this.options.quick ? full / (size === 'ten thousand' ? 20 : 500) : full,
    );
  }

  /** Makes a new directory that is removed after the row. */
  async directory(): Promise<string> {
    await mkdir(this.options.dataDir, { recursive: true });
    const directory = await mkdtemp(join(this.options.dataDir, 'work-'));
    this.use({ close: () => rm(directory, { recursive: true, force: true }) });
    return directory;
  }

  /** Closes `thing` after the row, whatever happens. Throws once the run has been interrupted. */
  use<T extends Closable>(thing: T): T {
    this.open.push(thing);
    if (this.interrupted) throw new Error('interrupted');
    return thing;
  }

  /** Closes what the current row uses, so that the row fails, and lets no row use anything else. */
  interrupt(): void {
    this.interrupted = true;
    this.closing = this.closeAll();
  }

  get isInterrupted(): boolean {
    return this.interrupted;
  }

  /** Adds a note that a reader of the row's figures needs. */
  note(text: string): void {
    this.noted.add(text);
  }

  /** Returns the notes since the last call. */
  drainNotes(): readonly string[] {
    const notes = [...this.noted];
    this.noted.clear();
    return notes;
  }

  /**
   * Closes what the row used, in reverse order. Closes all of it, then throws the first failure.
   */
  async close(): Promise<void> {
    await this.closing;
    const [failure] = await this.closeAll();
    if (failure !== undefined) throw failure;
  }

  private async closeAll(): Promise<readonly Error[]> {
    const failures: Error[] = [];
    for (let thing = this.open.pop(); thing !== undefined; thing = this.open.pop())
      await thing.close().catch((error: Error) => failures.push(error));
    return failures;
  }
}
