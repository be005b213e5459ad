import { setTimeout as sleep } from 'node:timers/promises';
import type { MovableClock, Service } from '@refledger/testing';
import type { Random } from './random.js';

/** The fault of one round. Times are in milliseconds. */
export type FaultInjection =
  | { readonly kind: 'killed under load'; readonly afterMs: number }
  | { readonly kind: 'killed while stopping'; readonly afterMs: number; readonly graceMs: number }
  | {
      readonly kind: 'killed while starting';
      readonly afterMs: number;
      readonly startsMs: readonly number[];
    }
  | { readonly kind: 'paused'; readonly afterMs: number; readonly pauseMs: number }
  | { readonly kind: 'clock moved'; readonly afterMs: number; readonly toMs: number };

/**
 * Draws a kill at a random moment: mostly under load, sometimes during a stop, or during one or two
 * starts.
 */
export const drawKill = (random: Random): FaultInjection => {
  const afterMs = random.between(30, 1_200);
  const kind = random.weighted({
    'killed under load': 6,
    'killed while stopping': 2,
    'killed while starting': 2,
  });
  switch (kind) {
    case 'killed under load':
      return { kind, afterMs };
    case 'killed while stopping':
      return { kind, afterMs, graceMs: random.below(250) };
    case 'killed while starting':
      return {
        kind,
        afterMs,
        startsMs: Array.from({ length: random.between(1, 3) }, () => random.between(20, 1_500)),
      };
  }
};

/** Whether the service has ended after this fault. */
export const ends = ({ kind }: FaultInjection): boolean => kind.startsWith('killed');

/** The service that the fault is injected into, and its clock if it can be moved. */
export interface InjectedFault {
  readonly service: Service;
  readonly clock?: Pick<MovableClock, 'moveTo'> | undefined;
}

/** Injects the fault. Resolves once the service has ended or continues to run. */
export const injectFault = async (
  injection: FaultInjection,
  { service, clock }: InjectedFault,
): Promise<void> => {
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
      clock.moveTo(injection.toMs);
      // the load continues under the new time
      return sleep(injection.afterMs);
  }
};
