import {
  comparePositions,
  toInstant,
  type AccountId,
  type Attempt,
  type EndpointId,
} from '@refledger/contracts';
import type { Finding } from '@refledger/domain';
import type { ProcessorLogger } from '@refledger/event-log';
import { type Clock, repeatOnClock } from '../clock.js';
import { isFailure, type FailingSeries, type HealthStore } from '@refledger/delivery-store';
import type { EndpointDirectory } from '../directory/endpoint-directory.js';
import type { EndpointVersion } from '../directory/endpoint-version.js';
import { enough, findingOf, nextSeries } from './failing-series.js';
import { recordFinding, type FindingParts } from './record-finding.js';

export interface EndpointHealthOptions extends FindingParts {
  readonly store: HealthStore;
  readonly directory: Pick<EndpointDirectory, 'latest'>;
  /** How long an endpoint may fail before it is disabled, in milliseconds; 0 means never. */
  readonly disableAfterMs: number;
  readonly clock: Clock;
  readonly logger: Pick<ProcessorLogger, 'info' | 'warn'>;
  readonly logRetry: (what: string, error: unknown) => void;
}

/** An attempt that has ended, to an endpoint of an account. */
interface EndedAttempt {
  readonly endpointId: EndpointId;
  readonly accountId: AccountId;
  readonly attempt: Pick<Attempt, 'outcome' | 'status' | 'error' | 'finishedAt'>;
}

/**
 * Keeps track of attempts that fail in a row. Such a series makes an endpoint failing after an
 * hour, and disables it after `disableAfterMs`, each after at least five failed attempts; a success
 * ends it. An endpoint without attempts stays as it is. Logs once when attempts begin to fail, and
 * once when they succeed again.
 */
export class EndpointHealth {
  /** Endpoints with a series, as far as this dispatcher knows. */
  private readonly inSeries = new Set<EndpointId>();
  /** When the last success ended, for endpoints that had a series (RFC 3339). */
  private readonly succeededAt = new Map<EndpointId, string>();
  /** The last step per endpoint: the steps of an endpoint run one after another. */
  private readonly steps = new Map<EndpointId, Promise<void>>();
  /** How many failed attempts per endpoint wait for their step. */
  private readonly waiting = new Map<EndpointId, number>();
  private stop: (() => void) | undefined;

  constructor(private readonly options: EndpointHealthOptions) {}

  /** Learns regularly which endpoints fail, since other dispatchers send to them, too. */
  start(): void {
    this.stop ??= repeatOnClock(this.options.clock, () => this.learnAll());
  }

  halt(): void {
    this.stop?.();
    this.stop = undefined;
  }

  /** Records an attempt whose outcome is durable. Never rejects. */
  record(ended: EndedAttempt): Promise<void> {
    const { endpointId, attempt } = ended;
    const failed = isFailure(attempt.outcome);
    const ends = attempt.outcome === 'succeeded' && this.hasSeries(endpointId);
    if (ends) return this.step(endpointId, () => this.succeeded(ended));
    // enough failures wait already: more would add nothing
    const waiting = this.waiting.get(endpointId) ?? 0;
    if (!failed || waiting >= enough) return Promise.resolve();
    this.waiting.set(endpointId, waiting + 1);
    return this.step(endpointId, () => {
      this.attemptStarted(endpointId);
      return this.failed(ended);
    });
  }

  /**
   * Disables an endpoint, if it has failed for long enough, before its delivery is given up after
   * this attempt: the delivery is then held. Never rejects.
   */
  disableIfDue({ endpointId, attempt }: EndedAttempt): Promise<void> {
    return this.step(endpointId, async () => {
      const endpoint = this.options.directory.latest(endpointId);
      const at = attempt.finishedAt ?? '';
      if (endpoint?.status !== 'enabled') return;
      const series = nextSeries(await this.current(endpointId, endpoint), endpoint, at);
      const finding = findingOf(
        series,
        { ...endpoint, disableAfterMs: this.options.disableAfterMs },
        at,
      );
      if (finding?.type === 'disable')
        await this.conclude(endpointId, { endpoint, series, at }, finding);
    });
  }

  /** Ends a series from before the endpoint was changed or unsubscribed. */
  restart(endpoint: EndpointId): void {
    if (this.inSeries.has(endpoint)) void this.step(endpoint, () => this.learn(endpoint));
    if (this.options.directory.latest(endpoint) === undefined) this.succeededAt.delete(endpoint);
  }

  private hasSeries(endpoint: EndpointId): boolean {
    return (
      this.inSeries.has(endpoint) || this.options.directory.latest(endpoint)?.health === 'failing'
    );
  }

  private attemptStarted(endpoint: EndpointId): void {
    const waiting = (this.waiting.get(endpoint) ?? 0) - 1;
    if (waiting > 0) this.waiting.set(endpoint, waiting);
    else this.waiting.delete(endpoint);
  }

  /** Runs a step once the earlier steps of this endpoint have ended. */
  private step(endpoint: EndpointId, work: () => Promise<void>): Promise<void> {
    const done = (this.steps.get(endpoint) ?? Promise.resolve())
      .then(work)
      .catch((error: unknown) => this.options.logRetry('recording the health of endpoints', error))
      .then(() => {
        if (this.steps.get(endpoint) === done) this.steps.delete(endpoint);
      });
    this.steps.set(endpoint, done);
    return done;
  }

  private async learnAll(): Promise<number> {
    const { store, logRetry } = this.options;
    try {
      for (const endpoint of await store.endpointsInSeries())
        if (!this.inSeries.has(endpoint)) await this.step(endpoint, () => this.learn(endpoint));
    } catch (error) {
      logRetry('reading the health of endpoints', error);
    }
    return learnEveryMs;
  }

  /** Ends a series from before a change, but none that another dispatcher has begun since. */
  private async learn(endpoint: EndpointId): Promise<void> {
    const { store, directory } = this.options;
    const series = await store.series(endpoint);
    const from = directory.latest(endpoint)?.seriesFrom;
    if (series === undefined) this.inSeries.delete(endpoint);
    else if (!from || comparePositions(series.from, from) < 0) await this.end(endpoint);
    else this.inSeries.add(endpoint);
  }

  private async end(endpoint: EndpointId): Promise<void> {
    this.inSeries.delete(endpoint);
    await this.options.store.endSeries(endpoint);
  }

  private async succeeded({ endpointId, accountId, attempt }: EndedAttempt): Promise<void> {
    const { directory, logger } = this.options;
    this.succeededAt.set(endpointId, attempt.finishedAt ?? '');
    await this.end(endpointId);
    logger.info(logFields(endpointId, accountId), `webhooks to ${endpointId} are succeeding again`);
    const endpoint = directory.latest(endpointId);
    if (endpoint?.health === 'failing') await this.run(endpointId, endpoint, { type: 'recover' });
  }

  private async failed(ended: EndedAttempt): Promise<void> {
    const { endpointId, attempt } = ended;
    const { store, directory } = this.options;
    const endpoint = directory.latest(endpointId);
    const at = attempt.finishedAt ?? '';
    if (endpoint?.status !== 'enabled' || this.succeededAfter(endpointId, at)) return;
    const before = await this.current(endpointId, endpoint);
    if (before === undefined) this.warn(ended);
    const series = nextSeries(before, endpoint, at);
    if (series.failures !== before?.failures || series.since !== before.since)
      await store.keepSeries(endpointId, series);
    this.inSeries.add(endpointId);
    const finding = findingOf(
      series,
      { ...endpoint, disableAfterMs: this.options.disableAfterMs },
      at,
    );
    if (finding !== undefined) await this.conclude(endpointId, { endpoint, series, at }, finding);
  }

  /** A success in the future, which a clock that was ahead had dated, says nothing any more. */
  private succeededAfter(endpoint: EndpointId, at: string): boolean {
    const succeededAt = this.succeededAt.get(endpoint) ?? '';
    return at < succeededAt && succeededAt <= this.now();
  }

  private now(): string {
    return toInstant(this.options.clock.now());
  }

  private warn({ endpointId, accountId, attempt: { status, error } }: EndedAttempt): void {
    this.options.logger.warn(
      { ...logFields(endpointId, accountId), status, error },
      `webhooks to ${endpointId} are failing: ${error ?? `the response was ${status}`}`,
    );
  }

  /** The series of the endpoint as it is now; undefined if there is none. */
  private async current(
    endpointId: EndpointId,
    { seriesFrom }: EndpointVersion,
  ): Promise<FailingSeries | undefined> {
    const known = await this.options.store.series(endpointId);
    return known?.from === seriesFrom ? known : undefined;
  }

  /** Records a finding, unless another dispatcher has succeeded meanwhile. */
  private async conclude(
    endpointId: EndpointId,
    { endpoint, series, at }: Evidence,
    finding: Finding,
  ): Promise<void> {
    const { store } = this.options;
    if (await store.succeededSince(endpointId, series.since, this.now()))
      await store.keepSeries(endpointId, nextSeries(undefined, endpoint, at));
    else await this.run(endpointId, endpoint, finding);
  }

  private run(
    endpoint_id: EndpointId,
    { accountId, revision: version }: EndpointVersion,
    finding: Finding,
  ): Promise<void> {
    return recordFinding(this.options, accountId, { ...finding, endpoint_id, version });
  }
}

/** What a finding is based on; `at` is when the last failed attempt ended. */
interface Evidence {
  readonly endpoint: EndpointVersion;
  readonly series: FailingSeries;
  readonly at: string;
}

const logFields = (endpoint: EndpointId, account_id: AccountId) => ({ endpoint, account_id });

const learnEveryMs = 10_000;
