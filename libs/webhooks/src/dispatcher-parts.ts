import { randomUUID } from 'node:crypto';
import { CommandHandler } from '@refledger/application';
import { toInstant, type EndpointId } from '@refledger/contracts';
import type { Lease } from '@refledger/delivery-store';
import {
  BodyMaker,
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
import { reportingBlockedWork } from './blocked-work.js';
import { BatchPlanner } from './planning/batch-planner.js';
import { BusProgress } from './planning/bus-progress.js';
import { DecisionWatch } from './planning/decision-watch.js';
import { LostEvents } from './planning/lost-events.js';
import { OffsetWriter } from './planning/offset-writer.js';
import { StartupGuard } from './planning/startup-guard.js';
import { AttemptReporter } from './scheduling/attempt-reporter.js';
import { Claims } from './scheduling/claims.js';
import { ConcurrencyLimiter } from './scheduling/concurrency-limiter.js';
import { DuePoller } from './scheduling/due-poller.js';
import { FairQueue } from './scheduling/fair-queue.js';
import { InFlight } from './scheduling/in-flight.js';
import { OutcomeWriter } from './scheduling/outcome-writer.js';
import { RateLimiter } from './scheduling/rate-limiter.js';
import { RequestWatch } from './scheduling/request-watch.js';
import { Scheduler } from './scheduling/scheduler.js';
import { TestSender } from './scheduling/test-sender.js';
import { AttemptSender } from './sending/attempt-sender.js';
import { DeliveryOpener } from './sending/delivery-opener.js';
import { ReplayPlanner } from './replays/replay-planner.js';
import { ReplayWork } from './replays/replay-work.js';
import { notedCancellations } from './statistics/noted-cancellations.js';
import { StatisticsRecorder } from './statistics/statistics-recorder.js';
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
  const { log } = base;
  const { personalData } = options;
  const bodies = reportingBlockedWork(
    new BodyMaker({ log, personalData, isSkipped: control.guard.isSkipped }),
    base.state.blockedWork,
  );
  const scheduler = schedulerOf(options, end, base, { ...endpoints, bodies });
  endpoints.tracker.on('enabled', (endpoint) => {
    for (const from of ['held', 'replay'] as const) scheduler.enqueue([endpoint], from);
  });
  const planning = planningParts(options, base, { ...control, ...endpoints, scheduler });
  return { ...base, ...control, ...endpoints, scheduler, ...planning };
};

export type DispatcherParts = ReturnType<typeof dispatcherParts>;

/** Makes the parts that all others share. */
const baseParts = (options: DispatcherOptions) => {
  const { log, bus, logger, leaseMs = 30_000, outgoing = new Outgoing() } = options;
  const { clock = systemClock, holder = `${dispatcherName}-${randomUUID()}` } = options;
  const state = new DispatcherState({ clock, logger, outgoing });
  const store = reportingDamage(options.store, ({ message }) => state.stopPermanently(message));
  /** Logs a warning for a failure that will be retried. */
  const logRetry = (what: string, error: unknown): void =>
    logger.warn({ err: error }, `${dispatcherName}: ${what} failed; retrying`);
  const statistics = new StatisticsRecorder({ store, clock, logger, logRetry });
  /** A lease of this dispatcher that begins now. */
  const newLease = (): Lease => {
    const now = clock.now();
    return { holder, now: toInstant(now), leaseUntil: toInstant(now + leaseMs) };
  };
  return {
    log,
    bus,
    store: notedCancellations(store, statistics),
    statistics,
    logger,
    clock,
    holder,
    leaseMs,
    newLease,
    logRetry,
    state,
    commands: new CommandHandler(log, { now: () => clock.now() }),
  };
};

type BaseParts = ReturnType<typeof baseParts>;

/** Makes the parts that decide whether the dispatcher may continue. */
const controlParts = (base: BaseParts) => {
  const { log, bus, store, commands, state, holder, newLease, clock, logger, logRetry } = base;
  const lostEvents = new LostEvents({ log, store, clock, holder, logger });
  const guard = new StartupGuard({ log, bus, store, commands, lostEvents, logger });
  const offsets = new OffsetWriter({ store, clock, newLease, logRetry });
  const errors = new ErrorPolicy({ log, clock, state, guard, offsets, logRetry });
  const decisions = new DecisionWatch({ clock, guard, state, logger, logRetry });
  return { guard, offsets, errors, decisions };
};

/** Makes the parts that know the endpoints and keep state per endpoint. */
const endpointParts = (options: DispatcherOptions, base: BaseParts, guard: StartupGuard) => {
  const { limits = { perEndpoint: 64, total: 512 }, disableAfterMs } = options;
  const { log, store, commands, state, clock, logger, logRetry } = base;
  const directory = new EndpointDirectory({ log, skips: guard });
  const limiter = new ConcurrencyLimiter(limits);
  const rates = new RateLimiter({ store, directory, clock, logRetry });
  const memories = [limiter, rates];
  const tracker = new EndpointTracker({ directory, store, clock, state, memories, logRetry });
  const health = new EndpointHealth({
    commands,
    tracker,
    store,
    directory,
    disableAfterMs,
    clock,
    logger,
    logRetry,
  });
  tracker.on('restarted', (endpoint) => health.restart(endpoint));
  const disabler = new EndpointDisabler({ commands, tracker, directory });
  return { directory, limiter, rates, health, tracker, disabler };
};

type EndpointParts = ReturnType<typeof endpointParts>;

/** Makes the scheduler, which makes attempts and records their outcomes. */
const schedulerOf = (
  { sender, secretBox, texts, schedule, timeoutMs, version, metrics }: DispatcherOptions,
  { cutOff, givenUp }: EndSignals,
  { store, statistics, holder, leaseMs, newLease, state, clock, logger, logRetry }: BaseParts,
  parts: EndpointParts & { readonly bodies: Pick<BodyMaker, 'make'> },
): Scheduler => {
  const { directory, tracker, limiter, rates, health, disabler, bodies } = parts;
  const attempts = new AttemptSender({
    sender,
    secretBox,
    opener: new DeliveryOpener({ texts, bodies, blockedWork: state.blockedWork, logger }),
    clock,
    schedule,
    timeoutMs,
    version,
    endpoints: directory,
    disabler,
    health,
    signal: cutOff,
  });
  const reporter = new AttemptReporter({ metrics, logger, clock, directory, health, statistics });
  const outcomes = new OutcomeWriter({ store, reporter, holder, clock, signal: givenUp, logRetry });
  const claims = new Claims({
    store,
    directory,
    tracker,
    bodies,
    texts,
    newLease,
    leaseMs,
    clock,
    logRetry,
  });
  const tests = new TestSender({ claims, attempts, outcomes, logRetry });
  const accountOf = (endpoint: EndpointId) => directory.latest(endpoint)?.accountId;
  return new Scheduler({
    duePoller: new DuePoller({ store, holder, claims, newLease, leaseMs, clock, logRetry }),
    requests: new RequestWatch({ store, tests, clock, logRetry }),
    queue: new FairQueue({ limiter, accountOf }),
    inFlight: new InFlight(limiter, rates, clock),
    claims,
    attempts,
    outcomes,
    directory,
    tracker,
    logRetry,
  });
};

/** Makes the parts that plan deliveries: of events, and of replays. */
const planningParts = (
  { bus, events, texts }: DispatcherOptions,
  { log, store, state, newLease, leaseMs, clock, logRetry }: BaseParts,
  parts: ReturnType<typeof controlParts> & EndpointParts & { readonly scheduler: Scheduler },
) => {
  const { offsets, directory, tracker, rates, scheduler } = parts;
  const { inLogOrder } = bus.capabilities;
  const planner = new BatchPlanner({
    store,
    directory,
    tracker,
    scheduler,
    newLease,
    texts,
    offsets,
    inLogOrder,
  });
  // a bus in log order needs no BusProgress: each batch says how far planning has got
  const progress = inLogOrder
    ? undefined
    : new BusProgress({ bus, store, clock, newLease, planner, logRetry });
  const replayPlanner = new ReplayPlanner({
    log,
    store,
    events,
    directory,
    tracker,
    rates,
    scheduler,
    planned: progress ?? planner,
    clock,
  });
  const replays = new ReplayWork({
    store,
    planner: replayPlanner,
    state,
    newLease,
    leaseMs,
    clock,
    logRetry,
  });
  return { planner, progress, replays };
};
