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
import { erasedAffiliatesSuite } from './webhooks/erased-affiliates.suite.js';
import { failingSuite } from './webhooks/failing.suite.js';
import { endpointStatsSuite } from './webhooks/endpoint-stats.suite.js';
import { redeliveriesSuite } from './webhooks/redeliveries.suite.js';
import { replayRequestsSuite } from './webhooks/replay-requests.suite.js';
import { replaysSuite } from './webhooks/replays.suite.js';
import { deliveriesSuite } from './webhooks/deliveries.suite.js';
import { retrySettings, webhookRetriesSuite } from './webhooks/webhook-retries.suite.js';
import { serviceWithClock, type StartService } from './with-clock.js';

/** The suites for webhooks, by group. */
export const webhookGroups = {
  webhooks: (start: StartService): void => {
    const { service, clock } = serviceWithClock(start, retrySettings);
    webhookEndpointsSuite(service);
    endpointChangesSuite(service);
    endpointHistorySuite(service, clock);
    endpointEventsSuite(service, clock);
    pausingSuite(service, clock);
    secretRotationSuite(service, clock);
    webhookDeliveriesSuite(service, clock);
    webhookApprovalsSuite(service);
    webhookRetriesSuite(service, clock);
    deliveriesSuite(service, clock);
    redeliveriesSuite(service, clock);
    erasedAffiliatesSuite(service, clock);
    replaysSuite(service, clock);
    replayRequestsSuite(service, clock);
    endpointTestsSuite(service, clock);
    endpointStatsSuite(service, clock);
    attemptsSuite(service, clock);
  },

  failing: (start: StartService): void => {
    const { service, clock } = serviceWithClock(start);
    failingSuite(service, clock);
  },
};
