/// <reference types="jest" />
import type { Service, ServiceFactory } from './service.js';
import { scaledTimeout } from '../wait.js';

/**
 * Shares one service among all suites of a test file, or of a `describe`: it starts on first
 * use and stops after the last test. It also raises Jest's timeout of five seconds, since the tests
 * wait for conditions.
 */
export const sharedService = (start: ServiceFactory): ServiceFactory => {
  jest.setTimeout(scaledTimeout(30_000));
  let started: Promise<Service> | undefined;
  afterAll(async () => {
    await (await started?.catch(() => undefined))?.stop();
  });
  return () => (started ??= start());
};
