/// <reference types="jest" />
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MovableClock, type Service, type ServiceFactory, sharedService } from '@refledger/testing';

/** Starts a service, of any kind, with these settings. */
export type StartService = (options: {
  readonly env?: Readonly<Record<string, string>>;
}) => Promise<Service>;

/** Tests a service of its own, whose clock the suite moves. */
export const withClock = (
  start: StartService,
  suite: (service: ServiceFactory, clock: MovableClock) => void,
): void =>
  // the service ends before the next one starts
  describe('with a clock that moves', () => {
    const folder = mkdtempSync(join(tmpdir(), 'refledger-clock-'));
    const clock = new MovableClock(join(folder, 'clock'));
    const service = sharedService(() => start({ env: clock.env }));
    suite(service, clock);
    // only after the service has ended, since it reads the clock until then
    afterAll(() => rm(folder, { recursive: true }));
  });
