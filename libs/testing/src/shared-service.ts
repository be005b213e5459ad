/// <reference types="jest" />
import type { Service, ServiceFactory } from './service.js';
import { patient } from './wait.js';

/** One service for all suites of a test file: started when first asked for, stopped after the last test. Its tests wait for conditions, so they have more time than Jest's five seconds. */
export const sharedService = (start: ServiceFactory): ServiceFactory => {
  jest.setTimeout(patient(30_000));
  let started: Promise<Service> | undefined;
  afterAll(async () => {
    await (await started?.catch(() => undefined))?.stop();
  });
  return () => (started ??= start());
};
