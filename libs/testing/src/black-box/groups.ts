import type { Service, ServiceFactory } from '../service.js';
import { sharedService } from '../shared-service.js';
import * as suites from './suites.js';

/** Starts a service, of any kind, with these settings. */
export type StartService = (options: {
  readonly env?: Readonly<Record<string, string>>;
}) => Promise<Service>;

/** The suites on records, without lists. */
const recordSuites = (service: ServiceFactory): void => {
  suites.conversionsSuite(service);
  suites.duplicatesSuite(service);
  suites.affiliatesSuite(service);
  suites.affiliateEmailsSuite(service);
  suites.idempotencySuite(service);
  suites.revisionsSuite(service);
};

/** The suites on requests in general, whatever they ask for. */
const requestSuites = (service: ServiceFactory): void => {
  suites.authenticationSuite(service);
  suites.checkOrderSuite(service);
  suites.requestsSuite(service);
  suites.textSuite(service);
  suites.beforeRoutingSuite(service);
  suites.secrecySuite(service);
};

/**
 * The black-box suites, grouped so that suites which can share a service do. Every kind of service
 * passes the same ones.
 */
export const blackBox = {
  accounts: (start: StartService): void => {
    const service = sharedService(() => start({}));
    suites.accountsAndKeysSuite(service);
    suites.isolationSuite(service);
    suites.documentationSuite(service);
    suites.healthSuite(service);
  },

  records: (start: StartService): void => {
    recordSuites(sharedService(() => start({})));
  },

  reads: (start: StartService): void => {
    const service = sharedService(() => start({ env: suites.noRateLimitSettings }));
    suites.listsSuite(service);
    suites.consistencySuite(service);
    suites.waitingReadsSuite(service);
    suites.statsSuite(service);
    suites.noRateLimitSuite(service);
  },

  requests: (start: StartService): void => {
    requestSuites(sharedService(() => start({})));
  },

  /** The suites for a gateway over the event log alone. */
  withoutReadModels: (start: StartService): void => {
    const shared = sharedService(() => start({}));
    const service = Object.assign(shared, { hasReadModels: false as const });
    suites.accountsAndKeysSuite(service);
    suites.isolationSuite(service);
    recordSuites(service);
    requestSuites(service);
  },

  restart: (start: StartService): void => {
    suites.restartSuite(sharedService(() => start({ env: suites.restartSettings })));
  },

  settings: (start: StartService): void => {
    const limited = sharedService(() =>
      start({ env: { ...suites.rateLimitSettings, ...suites.authFailureSettings } }),
    );
    suites.rateLimitSuite(limited);
    suites.authFailuresSuite(limited);
    const strict = sharedService(() =>
      start({ env: { ...suites.strictSettings, ...suites.publicTargetsSettings } }),
    );
    suites.settingsSuite(strict);
    suites.targetGuardSuite(strict);
  },

  webhooks: (start: StartService): void => {
    const service = sharedService(() => start({ env: suites.quickRetrySettings }));
    suites.webhookEndpointsSuite(service);
    suites.webhookDeliveriesSuite(service);
    suites.webhookRetriesSuite(service);
  },
};
