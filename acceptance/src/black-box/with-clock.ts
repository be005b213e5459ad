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

type Settings = Readonly<Record<string, string>>;

/** A service whose clock the suites of a file, or of a `describe`, move. */
export const serviceWithClock = (
  start: StartService,
  settings: Settings = {},
): { readonly service: ServiceFactory; readonly clock: MovableClock } => {
  const directory = mkdtempSync(join(tmpdir(), 'refledger-clock-'));
  const clock = new MovableClock(join(directory, 'clock'));
  const service = sharedService(() => start({ env: { ...settings, ...clock.env } }));
  // only after the service has ended, since it reads the clock until then
  afterAll(() => rm(directory, { recursive: true }));
  return { service, clock };
};

/** Tests a service of its own, whose clock the suite moves. */
export const withClock = (
  start: StartService,
  suite: (service: ServiceFactory, clock: MovableClock) => void,
): void =>
  // the service ends before the next one starts
  describe('with a clock that moves', () => {
    const { service, clock } = serviceWithClock(start);
    suite(service, clock);
  });
