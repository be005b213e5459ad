/// <reference types="jest" />
import type { Service, ServiceFactory } from './service.js';

/** One service for all suites of a test file: started when first asked for, stopped after the last test. */
export const sharedService = (start: ServiceFactory): ServiceFactory => {
  let started: Promise<Service> | undefined;
  afterAll(async () => {
    await (await started?.catch(() => undefined))?.stop();
  }, 30_000);
  return () => (started ??= start());
};
