import { randomUUID } from 'node:crypto';
import { CommandRunner } from '@refledger/event-log';
import { AttemptReporter } from './scheduling/attempt-reporter.js';
import { AttemptSender } from './sending/attempt-sender.js';
import { BatchPlanner } from './planning/batch-planner.js';
import { BusProgress } from './planning/bus-progress.js';
import { systemClock, type Clock } from './clock.js';
import { ConcurrencyLimiter } from './scheduling/concurrency-limiter.js';
import { Disabling } from './endpoints/disabling.js';
import { dispatcherName } from './dispatcher-name.js';
import type { DispatcherOptions } from './dispatcher-options.js';
import { DispatcherState } from './dispatcher-state.js';
import { EndpointDirectory } from './endpoints/endpoint-directory.js';
import { EndpointHealth } from './endpoints/endpoint-health.js';
import { EndpointTracker } from './endpoints/endpoint-tracker.js';
import { ErrorPolicy } from './error-policy.js';
import { LeaseTerms } from './scheduling/lease-terms.js';
import { LostEvents } from './planning/lost-events.js';
import { OffsetWriter } from './planning/offset-writer.js';
import { OutcomeWriter } from './scheduling/outcome-writer.js';
import { RetryLog } from './retry-log.js';
import { Scheduler } from './scheduling/scheduler.js';
import { StartupGuard } from './planning/startup-guard.js';

/** How the dispatcher's end reaches its parts. */
export interface EndSignals {
  /** Cuts off requests in flight. */
  readonly cutOff: AbortSignal;
  /** Gives up outcomes that can't be written. */
  readonly givenUp: AbortSignal;
}

/** The parts of a dispatcher, each made of parts above it. */
export const dispatcherParts = (options: DispatcherOptions, { cutOff, givenUp }: EndSignals) => {
  const { log, bus, store, logger, limits = { perEndpoint: 8, inAll: 512 } } = options;
  const clock = options.clock ?? systemClock;
  const holder = options.holder ?? `${dispatcherName}-${randomUUID()}`;
  const leaseMs = options.leaseMs ?? 30_000;
  const { inLogOrder } = bus.capabilities;
  const base = { log, bus, store, clock, logger, holder, leaseMs };

  const retryLog = new RetryLog(logger);
  const leases = new LeaseTerms(base);
  const state = new DispatcherState(clock, logger);
  const runner = new CommandRunner(log, { now: () => clock.now() });
  const guard = new StartupGuard({ ...base, runner, lostEvents: new LostEvents(base) });
  const offsets = new OffsetWriter({ ...base, leases, retryLog });
  const errors = new ErrorPolicy({ clock, state, guard, offsets, retryLog });

  const directory = new EndpointDirectory({ log, skips: guard });
  const limiter = new ConcurrencyLimiter(limits);
  const health = new EndpointHealth(logger);
  const memories = [limiter, health];
  const tracker = new EndpointTracker({ ...base, directory, state, memories, retryLog });
  const disabling = new Disabling({ runner, directory, tracker });

  const attempts = new AttemptSender({
    ...options,
    clock,
    endpoints: directory,
    disabling,
    signal: cutOff,
  });
  const outcomes = new OutcomeWriter({ ...base, signal: givenUp, retryLog });
  const reporter = new AttemptReporter({
    ...base,
    metrics: options.metrics,
    directory,
    health,
  });
  const scheduler = new Scheduler({
    ...base,
    leases,
    limiter,
    attempts,
    outcomes,
    reporter,
    retryLog,
  });
  const planner = new BatchPlanner({
    store,
    directory,
    tracker,
    scheduler,
    leases,
    offsets,
    inLogOrder,
  });
  // where the log's order is the bus's, each batch says how far planning has come
  const progress = inLogOrder ? undefined : new BusProgress({ ...base, leases, planner, retryLog });

  return {
    ...base,
    retryLog,
    state,
    guard,
    offsets,
    errors,
    tracker,
    scheduler,
    planner,
    directory,
    progress,
  };
};

export type DispatcherParts = ReturnType<typeof dispatcherParts>;
