import { setTimeout as sleep } from 'node:timers/promises';
import type { MovableClock, Random } from '@refledger/testing';
import type { Loss, Subject } from './subject.js';

/** The fault of one round. Times are in milliseconds. */
export type FaultInjection =
  | (KillResult & { readonly kind: 'killed under load'; readonly afterMs: number })
  | (KillResult & {
      readonly kind: 'killed while stopping';
      readonly afterMs: number;
      readonly graceMs: number;
    })
  | (KillResult & {
      readonly kind: 'killed while starting';
      readonly afterMs: number;
      readonly startsMs: readonly number[];
    })
  | { readonly kind: 'paused'; readonly afterMs: number; readonly pauseMs: number }
  | { readonly kind: 'clock moved'; readonly afterMs: number; readonly toMs: number };

interface KillResult {
  /** The data that the service has lost when it starts again. */
  readonly loses?: Loss;
}

/**
 * Draws a kill at a random moment: mostly under load, sometimes during a stop, or during one or two
 * starts. In every tenth round posting loses its checkpoint, alone or with all read models.
 */
export const drawKill = (random: Random, round: number, withinMs = 1_200): FaultInjection => {
  const afterMs = random.intBetween(30, withinMs);
  const kind = random.weighted({
    'killed under load': 6,
    'killed while stopping': 2,
    'killed while starting': 2,
  });
  const lost = lossIn(round);
  switch (kind) {
    case 'killed under load':
      return { kind, afterMs, ...lost };
    case 'killed while stopping':
      return { kind, afterMs, graceMs: random.intBelow(250), ...lost };
    case 'killed while starting':
      return {
        kind,
        afterMs,
        startsMs: Array.from({ length: random.intBetween(1, 3) }, () =>
          random.intBetween(20, 1_500),
        ),
        ...lost,
      };
  }
};

/** Draws a kill while two runs pay this many balances. */
export const drawKillWhilePaying =
  (balances: number) =>
  (random: Random, round: number): FaultInjection =>
    drawKill(random, round, 100 + 3 * balances);

const lossIn = (round: number): KillResult => {
  if (round % 10 !== 0) return {};
  return { loses: round % 30 === 0 ? 'read models' : 'checkpoint' };
};

/** After this fault, starts again what has ended. */
export const startAgain = async (
  { kind }: FaultInjection,
  { service }: Pick<Subject, 'service'>,
): Promise<void> => {
  if (kind.startsWith('killed')) await service.start();
};

/** How many processes the fault kills. */
export const killsOf = (injection: FaultInjection): number => {
  switch (injection.kind) {
    case 'killed under load':
    case 'killed while stopping':
      return 1;
    case 'killed while starting':
      return 1 + injection.startsMs.length;
    case 'paused':
    case 'clock moved':
      return 0;
  }
};

/** The service that the fault is injected into, and its clock if it can be moved. */
export interface InjectedFault {
  readonly subject: Subject;
  readonly clock?: Pick<MovableClock, 'moveTo'> | undefined;
}

/** Injects the fault. Resolves once the service has ended or continues to run. */
export const injectFault = async (
  injection: FaultInjection,
  { subject, clock }: InjectedFault,
): Promise<void> => {
  const { service } = subject;
  await sleep(injection.afterMs);
  switch (injection.kind) {
    case 'killed under load':
      return service.kill();
    case 'killed while stopping':
      service.signal('SIGTERM');
      await sleep(injection.graceMs);
      return service.kill();
    case 'killed while starting':
      await service.kill();
      for (const startMs of injection.startsMs) {
        const starting = service.start().catch(() => undefined);
        await sleep(startMs);
        await service.kill();
        await starting;
      }
      return;
    case 'paused':
      service.signal('SIGSTOP');
      await sleep(injection.pauseMs);
      return service.signal('SIGCONT');
    case 'clock moved':
      if (clock === undefined) throw new Error('the service was started without a movable clock');
      await clock.moveTo(injection.toMs);
      // the load continues under the new time
      return sleep(injection.afterMs);
  }
};
