import { setTimeout as pause } from 'node:timers/promises';
import type { Service } from '@refledger/testing';
import type { Chance } from './chance.js';
import type { MovableClock } from './movable-clock.js';

/** What is done to the service in one round; times in milliseconds. */
export type Harm =
  | { readonly kind: 'killed under load'; readonly afterMs: number }
  | { readonly kind: 'killed while stopping'; readonly afterMs: number; readonly graceMs: number }
  | {
      readonly kind: 'killed while starting';
      readonly afterMs: number;
      readonly startsMs: readonly number[];
    }
  | { readonly kind: 'paused'; readonly afterMs: number; readonly pauseMs: number }
  | { readonly kind: 'clock moved'; readonly afterMs: number; readonly toMs: number };

/** A kill at some random moment: mostly under load, also during a stop, and during one start or two. */
export const drawKill = (chance: Chance): Harm => {
  const afterMs = chance.between(30, 1_200);
  const kind = chance.weighted({
    'killed under load': 6,
    'killed while stopping': 2,
    'killed while starting': 2,
  });
  switch (kind) {
    case 'killed under load':
      return { kind, afterMs };
    case 'killed while stopping':
      return { kind, afterMs, graceMs: chance.below(250) };
    case 'killed while starting':
      return {
        kind,
        afterMs,
        startsMs: Array.from({ length: chance.between(1, 3) }, () => chance.between(20, 1_500)),
      };
  }
};

/** Whether the service has ended by it. */
export const ends = ({ kind }: Harm): boolean => kind.startsWith('killed');

/** What harm is done to. */
export interface Harmed {
  readonly service: Service;
  readonly clock?: Pick<MovableClock, 'moveTo'> | undefined;
}

/** Does it. When it resolves, the service has ended, or goes on. */
export const inflict = async (harm: Harm, { service, clock }: Harmed): Promise<void> => {
  await pause(harm.afterMs);
  switch (harm.kind) {
    case 'killed under load':
      return service.kill();
    case 'killed while stopping':
      service.signal('SIGTERM');
      await pause(harm.graceMs);
      return service.kill();
    case 'killed while starting':
      await service.kill();
      for (const startMs of harm.startsMs) {
        const starting = service.start().catch(() => undefined);
        await pause(startMs);
        await service.kill();
        await starting;
      }
      return;
    case 'paused':
      service.signal('SIGSTOP');
      await pause(harm.pauseMs);
      return service.signal('SIGCONT');
    case 'clock moved':
      if (clock === undefined)
        throw new Error('this service was started without a clock that can be moved');
      clock.moveTo(harm.toMs);
      // the load goes on under the new time
      return pause(harm.afterMs);
  }
};
