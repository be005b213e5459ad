/// <reference types="jest" />
import type { ServiceFactory } from '@refledger/testing';

/**
 * `it` for a test that needs lists, statistics or webhooks. It drops the test for a service without
 * read models.
 */
export const itReads = (
  service: ServiceFactory,
): ((title: string, test: () => Promise<void>) => void) =>
  service.hasReadModels === false ? () => undefined : (title, test) => it(title, test);
