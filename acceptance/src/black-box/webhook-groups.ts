import { sharedService } from '@refledger/testing';
import { pausingSuite } from './webhooks/pausing.suite.js';
import { endpointTestsSuite } from './webhooks/endpoint-tests.suite.js';
import { endpointEventsSuite } from './webhooks/endpoint-events.suite.js';
import { endpointHistorySuite } from './webhooks/endpoint-history.suite.js';
import { endpointChangesSuite } from './webhooks/endpoint-changes.suite.js';
import { secretRotationSuite } from './webhooks/secret-rotation.suite.js';
import { webhookApprovalsSuite } from './webhooks/webhook-approvals.suite.js';
import { webhookDeliveriesSuite } from './webhooks/webhook-deliveries.suite.js';
import { webhookEndpointsSuite } from './webhooks/webhook-endpoints.suite.js';
import { attemptsSuite } from './webhooks/attempts.suite.js';
import { failingSettings, failingSuite } from './webhooks/failing.suite.js';
import { endpointStatsSuite } from './webhooks/endpoint-stats.suite.js';
import { redeliveriesSuite } from './webhooks/redeliveries.suite.js';
import { replayRequestsSuite } from './webhooks/replay-requests.suite.js';
import { replaysSuite } from './webhooks/replays.suite.js';
import { deliveriesSuite } from './webhooks/deliveries.suite.js';
import { quickRetrySettings, webhookRetriesSuite } from './webhooks/webhook-retries.suite.js';
import type { StartService } from './with-clock.js';

/** The suites for webhooks, by group. */
export const webhookGroups = {
  webhooks: (start: StartService): void => {
    const service = sharedService(() => start({ env: quickRetrySettings }));
    webhookEndpointsSuite(service);
    endpointChangesSuite(service);
    endpointHistorySuite(service);
    endpointEventsSuite(service);
    pausingSuite(service);
    secretRotationSuite(service);
    webhookDeliveriesSuite(service);
    webhookApprovalsSuite(service);
    webhookRetriesSuite(service);
    deliveriesSuite(service);
    redeliveriesSuite(service);
    replaysSuite(service);
    replayRequestsSuite(service);
    endpointTestsSuite(service);
    endpointStatsSuite(service);
    attemptsSuite(service);
  },

  failing: (start: StartService): void =>
    failingSuite(sharedService(() => start({ env: failingSettings }))),
};
