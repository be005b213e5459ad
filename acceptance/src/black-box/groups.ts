import { count, type ServiceFactory, sharedService } from '@refledger/testing';
import { accountsAndKeysSuite } from './accounts/accounts-and-keys.suite.js';
import { authenticationSuite } from './accounts/authentication.suite.js';
import { isolationSuite } from './accounts/isolation.suite.js';
import {
  authFailureSettings,
  authFailuresSuite,
  noRateLimitSettings,
  noRateLimitSuite,
  rateLimitSettings,
  rateLimitSuite,
} from './accounts/rate-limit.suite.js';
import { secrecySuite } from './accounts/secrecy.suite.js';
import { settingsSuite, strictSettings } from './accounts/settings.suite.js';
import { concurrentPayoutsSuite } from './payouts/concurrent-payouts.suite.js';
import { manyPayoutsSuite } from './payouts/many-payouts.suite.js';
import { paidStatusSuite } from './payouts/paid-status.suite.js';
import { payoutChangesSuite } from './payouts/payout-changes.suite.js';
import { payoutExampleSuite } from './payouts/payout-example.suite.js';
import { payoutImportClientsSuite } from './payouts/payout-import-clients.suite.js';
import { payoutImportSuite } from './payouts/payout-import.suite.js';
import { payoutLinesSuite } from './payouts/payout-lines.suite.js';
import { payoutRefusalsSuite } from './payouts/payout-refusals.suite.js';
import { payoutRunsSuite } from './payouts/payout-runs.suite.js';
import { runPreviewsSuite } from './payouts/run-previews.suite.js';
import { payoutsSuite } from './payouts/payouts.suite.js';
import { runFilesSuite } from './payouts/run-files.suite.js';
import { runMarksSuite } from './payouts/run-marks.suite.js';
import { affiliateSearchSuite } from './reads/affiliate-search.suite.js';
import { consistencySuite } from './reads/consistency.suite.js';
import { createdBoundsSuite } from './reads/created-bounds.suite.js';
import { filtersSuite } from './reads/filters.suite.js';
import { largeSumsSuite } from './reads/large-sums.suite.js';
import { listsSuite } from './reads/lists.suite.js';
import { randomMoneySuite } from './reads/random-money.suite.js';
import { randomSalesSuite } from './reads/random-sales.suite.js';
import { randomQuotesSuite } from './reads/random-quotes.suite.js';
import { statsSuite } from './reads/stats.suite.js';
import { waitingReadsSuite } from './reads/waiting-reads.suite.js';
import { adjustmentChangesSuite } from './records/adjustment-changes.suite.js';
import { adjustmentsSuite } from './records/adjustments.suite.js';
import { affiliateApprovalSuite } from './records/affiliate-approval.suite.js';
import { affiliateEmailsSuite } from './records/affiliate-emails.suite.js';
import { affiliateMoneySuite } from './records/affiliate-money.suite.js';
import { affiliatesSuite } from './records/affiliates.suite.js';
import { asOfTimeSuite } from './records/as-of-time.suite.js';
import { asOfSuite } from './records/as-of.suite.js';
import { automaticApprovalSuite } from './records/automatic-approval.suite.js';
import { balancesSuite } from './records/balances.suite.js';
import { byTermsSuite } from './records/by-terms.suite.js';
import { commissionExamplesSuite } from './records/commission-examples.suite.js';
import { commissionsSuite } from './records/commissions.suite.js';
import { conversionsSuite } from './records/conversions.suite.js';
import { customersSuite } from './records/customers.suite.js';
import { duplicatesSuite } from './records/duplicates.suite.js';
import { entriesSuite } from './records/entries.suite.js';
import { erasingSuite } from './records/erasing.suite.js';
import { historySuite } from './records/history.suite.js';
import { idempotencySuite } from './records/idempotency.suite.js';
import { pastBalancesSuite } from './records/past-balances.suite.js';
import { programHistorySuite } from './records/program-history.suite.js';
import { ledgerCheckSuite } from './records/ledger-check.suite.js';
import { occurredAtSuite } from './records/occurred-at.suite.js';
import { programTermsSuite } from './records/program-terms.suite.js';
import { programsSuite } from './records/programs.suite.js';
import { quotesSuite } from './records/quotes.suite.js';
import { refundsSuite } from './records/refunds.suite.js';
import { revisionsSuite } from './records/revisions.suite.js';
import { beforeRoutingSuite } from './requests/before-routing.suite.js';
import { bodyExamplesSuite } from './requests/body-examples.suite.js';
import { checkOrderSuite } from './requests/check-order.suite.js';
import { documentationSuite } from './requests/documentation.suite.js';
import { healthSuite } from './requests/health.suite.js';
import { privateLogsSuite, verboseSettings } from './requests/private-logs.suite.js';
import { requestIdsSuite } from './requests/request-ids.suite.js';
import { requestsSuite } from './requests/requests.suite.js';
import { textSuite } from './requests/text.suite.js';
import { restartSettings, restartSuite } from './restart.suite.js';
import { statementsSuite } from './statements/statements.suite.js';
import { publicTargetsSettings, targetGuardSuite } from './webhooks/target-guard.suite.js';
import { webhookGroups } from './webhook-groups.js';
import { serviceWithClock, type StartService, withClock } from './with-clock.js';

/** The suites for records, without lists. */
const recordSuites = (service: ServiceFactory): void => {
  conversionsSuite(service);
  commissionsSuite(service);
  byTermsSuite(service);
  commissionExamplesSuite(service);
  refundsSuite(service);
  occurredAtSuite(service);
  automaticApprovalSuite(service);
  customersSuite(service);
  duplicatesSuite(service);
  affiliatesSuite(service);
  affiliateEmailsSuite(service);
  affiliateApprovalSuite(service);
  affiliateMoneySuite(service);
  programsSuite(service);
  programTermsSuite(service);
  quotesSuite(service);
  programHistorySuite(service);
  adjustmentsSuite(service);
  adjustmentChangesSuite(service);
  idempotencySuite(service);
  revisionsSuite(service);
  historySuite(service);
  erasingSuite(service);
  asOfSuite(service);
};

/** The suites for rules that apply to every request. */
const requestSuites = (service: ServiceFactory): void => {
  authenticationSuite(service);
  checkOrderSuite(service);
  requestsSuite(service);
  requestIdsSuite(service);
  textSuite(service);
  beforeRoutingSuite(service);
  secrecySuite(service);
  privateLogsSuite(service);
};

/**
 * The black-box suites, grouped so that suites which can share a service do. Every kind of service
 * passes the same suites, except `largeSums`.
 */
export const blackBox = {
  accounts: (start: StartService): void => {
    const service = sharedService(() => start({}));
    accountsAndKeysSuite(service);
    isolationSuite(service);
    documentationSuite(service);
    bodyExamplesSuite(service);
    healthSuite(service);
  },

  records: (start: StartService): void => {
    const service = sharedService(() => start({}));
    recordSuites(service);
    entriesSuite(service);
  },

  reads: (start: StartService): void => {
    const service = sharedService(() => start({ env: noRateLimitSettings }));
    listsSuite(service, count(40, 80));
    createdBoundsSuite(service);
    filtersSuite(service);
    affiliateSearchSuite(service);
    consistencySuite(service);
    waitingReadsSuite(service);
    statsSuite(service);
    randomSalesSuite(service, count(150, 1_000));
    randomQuotesSuite(service, count(100, 500));
    noRateLimitSuite(service);
  },

  /** Every kind of service handles large sums with the same code, so one kind is enough. */
  largeSums: (start: StartService): void => {
    const service = sharedService(() => start({ env: noRateLimitSettings }));
    largeSumsSuite(service);
    manyPayoutsSuite(service, count(100, 1_000));
  },

  money: (start: StartService): void => {
    const service = sharedService(() => start({ env: noRateLimitSettings }));
    balancesSuite(service);
    pastBalancesSuite(service);
    randomMoneySuite(service, count(100, 400));
    ledgerCheckSuite(service);
    payoutsSuite(service);
    payoutChangesSuite(service);
    paidStatusSuite(service);
    payoutRefusalsSuite(service);
    payoutLinesSuite(service);
    payoutImportSuite(service);
    manyPayoutsSuite(service, count(40, 100));
    payoutImportClientsSuite(service);
    concurrentPayoutsSuite(service);
    payoutRunsSuite(service);
    runPreviewsSuite(service);
    runMarksSuite(service);
    runFilesSuite(service);
  },

  times: (start: StartService): void => {
    withClock(start, asOfTimeSuite);
    withClock(start, payoutExampleSuite);
    withClock(start, statementsSuite);
  },

  requests: (start: StartService): void => {
    requestSuites(sharedService(() => start({ env: verboseSettings })));
  },

  /** The suites for a gateway over the event log alone. */
  withoutReadModels: (start: StartService): void => {
    const shared = sharedService(() => start({}));
    const service = Object.assign(shared, { hasReadModels: false as const });
    accountsAndKeysSuite(service);
    isolationSuite(service);
    recordSuites(service);
    requestSuites(service);
  },

  restart: (start: StartService): void => {
    const { service, clock } = serviceWithClock(start, restartSettings);
    restartSuite(service, clock);
  },

  settings: (start: StartService): void => {
    describe('limits', () => {
      const env = { ...rateLimitSettings, ...authFailureSettings };
      const service = sharedService(() => start({ env }));
      rateLimitSuite(service);
      authFailuresSuite(service);
    });
    describe('strict settings', () => {
      const env = { ...strictSettings, ...publicTargetsSettings };
      const service = sharedService(() => start({ env }));
      settingsSuite(service);
      targetGuardSuite(service);
    });
  },

  ...webhookGroups,
};
