/// <reference types="jest" />
import type { Service } from '../service.js';

/**
 * Shares one service among all suites of a test file, or of a `describe`: it starts on first use
 * and stops after the last test.
 */
export const sharedService = <S extends Service>(start: () => Promise<S>): (() => Promise<S>) => {
  let started: Promise<S> | undefined;
  afterAll(async () => {
    await (await started?.catch(() => undefined))?.stop();
  });
  return () => (started ??= start());
};
