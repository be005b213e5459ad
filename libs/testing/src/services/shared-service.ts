/// <reference types="jest" />
import type { Service, ServiceFactory } from './service.js';

/**
 * Shares one service among all suites of a test file, or of a `describe`: it starts on first use
 * and stops after the last test.
 */
export const sharedService = (start: ServiceFactory): ServiceFactory => {
  let started: Promise<Service> | undefined;
  afterAll(async () => {
    await (await started?.catch(() => undefined))?.stop();
  });
  return () => (started ??= start());
};
