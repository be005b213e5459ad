import { randomUUID } from 'node:crypto';
import { toInstant, type EndpointId } from '@refledger/contracts';
import { CommandHandler } from '@refledger/application';
import {
  systemClock,
  dispatcherName,
  EndpointDisabler,
  EndpointDirectory,
  EndpointHealth,
  Outgoing,
} from '@refledger/webhook-endpoints';
import type { DispatcherOptions } from './dispatcher-options.js';
import { DispatcherState } from './dispatcher-state.js';
import { EndpointTracker } from './endpoint-tracker.js';
import { ErrorPolicy } from './error-policy.js';
import { BatchPlanner } from './planning/batch-planner.js';
import { BusProgress } from './planning/bus-progress.js';
import { DecisionWatch } from './planning/decision-watch.js';
import { LostEvents } from './planning/lost-events.js';
import { OffsetWriter } from './planning/offset-writer.js';
import { StartupGuard } from './planning/startup-guard.js';
import { AttemptReporter } from './scheduling/attempt-reporter.js';
import { ConcurrencyLimiter } from './scheduling/concurrency-limiter.js';
import { OutcomeWriter } from './scheduling/outcome-writer.js';
import { RateLimiter } from './scheduling/rate-limiter.js';
import { Scheduler } from './scheduling/scheduler.js';
import { AttemptSender } from './sending/attempt-sender.js';
import { BodyMaker } from './sending/body-maker.js';
import { ReplayPlanner } from './replays/replay-planner.js';
import { ReplayWork } from './replays/replay-work.js';
import { notedCancellations } from './statistics/noted-cancellations.js';
import { StatisticsRecorder } from './statistics/statistics-recorder.js';
import type { Lease } from '@refledger/delivery-store';
import { reportingDamage } from './reporting-damage.js';

/** The signals through which closing the dispatcher reaches its parts. */
export interface EndSignals {
  /** Aborts requests in flight. */
  readonly cutOff: AbortSignal;
  /** Stops retrying outcomes that can't be written. */
  readonly givenUp: AbortSignal;
}

/** Makes the parts of a dispatcher. Each part depends only on parts made before it. */
export const dispatcherParts = (options: DispatcherOptions, end: EndSignals) => {
  const base = baseParts(options);
  const control = controlParts(base);
  const endpoints = endpointParts(options, base, control.guard);
  const bodies = new BodyMaker({ ...base, isSkipped: control.guard.isSkipped });
  const scheduler = schedulerOf(options, { ...base, bodies }, endpoints, end);
  endpoints.tracker.on('enabled', (endpoint) => {
    for (const from of ['held', 'replay'] as const) scheduler.enqueue([endpoint], from);
  });
  const { inLogOrder } = options.bus.capabilities;
  const planner = new BatchPlanner({ ...base, ...control, ...endpoints, scheduler, inLogOrder });
  // a bus in log order needs no BusProgress: each batch says how far planning has got
  const progress = inLogOrder ? undefined : new BusProgress({ ...base, planner });
  const { events } = options;
  const planned = progress ?? planner;
  const replayPlanner = new ReplayPlanner({ ...base, ...endpoints, events, scheduler, planned });
  const replays = new ReplayWork({ ...base, planner: replayPlanner });
  return { ...base, ...control, ...endpoints, scheduler, planner, progress, replays };
};

/** The parts of a dispatcher. */
export type DispatcherParts = ReturnType<typeof dispatcherParts>;

/** Makes the parts that all others share. */
const baseParts = (options: DispatcherOptions) => {
  const { log, bus, logger, leaseMs = 30_000, outgoing = new Outgoing() } = options;
  const clock = options.clock ?? systemClock;
  const state = new DispatcherState({ clock, logger, outgoing });
  const store = reportingDamage(options.store, ({ message }) => state.stopPermanently(message));
  const holder = options.holder ?? `${dispatcherName}-${randomUUID()}`;
  /** Logs a warning for a failure that will be retried. */
  const logRetry = (what: string, error: unknown): void =>
    logger.warn({ err: error }, `${dispatcherName}: ${what} failed; retrying`);
  const statistics = new StatisticsRecorder({ store, clock, logger, logRetry });
  return {
    log,
    bus,
    store: notedCancellations(store, statistics),
    statistics,
    logger,
    clock,
    holder,
    leaseMs,
    /** A lease of this dispatcher that begins now. */
    newLease: (now = clock.now()): Lease => ({
      holder,
      now: toInstant(now),
      leaseUntil: toInstant(now + leaseMs),
    }),
    logRetry,
    state,
    commands: new CommandHandler(log, { now: () => clock.now() }),
  };
};

type BaseParts = ReturnType<typeof baseParts>;

/** Makes the parts that decide whether the dispatcher may continue. */
const controlParts = (base: BaseParts) => {
  const guard = new StartupGuard({ ...base, lostEvents: new LostEvents(base) });
  const offsets = new OffsetWriter(base);
  const errors = new ErrorPolicy({ ...base, guard, offsets });
  const decisions = new DecisionWatch({ ...base, guard });
  return { guard, offsets, errors, decisions };
};

/** Makes the parts that know the endpoints and keep state per endpoint. */
const endpointParts = (options: DispatcherOptions, base: BaseParts, guard: StartupGuard) => {
  const { limits = { perEndpoint: 64, total: 512 } } = options;
  const directory = new EndpointDirectory({ ...base, skips: guard });
  const limiter = new ConcurrencyLimiter(limits);
  const rates = new RateLimiter({ ...base, directory });
  const tracker = new EndpointTracker({ ...base, directory, memories: [limiter, rates] });
  const { disableAfterMs } = options;
  const health = new EndpointHealth({ ...base, directory, tracker, disableAfterMs });
  tracker.on('restarted', (endpoint) => health.restart(endpoint));
  const disabler = new EndpointDisabler({ ...base, directory, tracker });
  return { directory, limiter, rates, health, tracker, disabler };
};

/** Makes the scheduler, which makes attempts and records their outcomes. */
const schedulerOf = (
  options: DispatcherOptions,
  base: BaseParts & { readonly bodies: BodyMaker },
  { directory, limiter, rates, health, tracker, disabler }: ReturnType<typeof endpointParts>,
  { cutOff, givenUp }: EndSignals,
): Scheduler => {
  const attempts = new AttemptSender({
    ...options,
    ...base,
    endpoints: directory,
    disabler,
    health,
    signal: cutOff,
  });
  const outcomes = new OutcomeWriter({ ...base, signal: givenUp });
  const accountOf = (endpoint: EndpointId) => directory.latest(endpoint)?.accountId;
  const { metrics } = options;
  const reporter = new AttemptReporter({ ...base, metrics, directory, health });
  return new Scheduler({
    ...base,
    directory,
    tracker,
    limiter,
    rates,
    accountOf,
    attempts,
    outcomes,
    reporter,
  });
};
