import { machineClock } from './clock.js';
import { headerOf, HttpConnection, type HttpResponse } from './http-connection.js';
import { LatencyRecorder, type Latency } from './latency.js';
import type { NewConversions } from './load-plan.js';
import { getRequest } from './requests.js';

type Settings = NonNullable<NewConversions['readAfter']>;

/**
 * Measures from outside how far reads are behind writes. As soon as a write is answered, a reader
 * of another account, which waits for no write of its own, asks for that write's position with
 * `Refledger-Min-Position`. The lag is the time from the write's response to the read's. It is an
 * upper bound, because it includes the read's own round trip.
 */
export class ReadsAfterWrites {
  private readonly lags = new LatencyRecorder();
  private readonly inProgress: Promise<void>[] = [];
  private readonly free: HttpConnection[] = [];
  private wrong = 0;
  private firstWrong: string | undefined;

  constructor(
    private readonly origin: string,
    private readonly settings: Settings,
  ) {}

  /** Notes that the n-th write was answered at `at`. */
  wrote(n: number, percentileMs: number, position: string | undefined): void {
    if (n % this.settings.every === 0)
      this.inProgress.push(this.read(percentileMs, position ?? ''));
  }

  async finish(): Promise<{
    readonly latency: Latency;
    readonly wrong: number;
    readonly firstWrong: string | undefined;
  }> {
    await Promise.all(this.inProgress);
    for (const connection of this.free) connection.close();
    return { latency: this.lags.latency, wrong: this.wrong, firstWrong: this.firstWrong };
  }

  private async read(since: number, position: string): Promise<void> {
    // opened on demand: a server closes a connection that is idle for too long, and a stalled
    // projector then delays only these reads and no write
    const connection = this.free.pop() ?? (await HttpConnection.open(this.origin));
    const response = await connection.exchange(
      getRequest(
        this.origin,
        this.settings.key,
        this.settings.path,
        `refledger-min-position: ${position}\r\n`,
      ),
    );
    this.lags.record(machineClock.now() - since);
    this.free.push(connection);
    if (reflects(response, position)) return;
    this.wrong++;
    this.firstWrong ??= `a read with minimum position ${position}: ${response.head}`;
  }
}

const reflects = (response: HttpResponse, position: string): boolean =>
  response.status === 200 &&
  position !== '' &&
  BigInt(headerOf(response, 'refledger-position') ?? '-1') >= BigInt(position);
