import { quickRetrySettings, sharedService, startStandalone, webhookDeliveriesSuite, webhookEndpointsSuite, webhookRetriesSuite } from '@refledger/testing';

const service = sharedService(() => startStandalone({ env: quickRetrySettings }));
webhookEndpointsSuite(service);
webhookDeliveriesSuite(service);
webhookRetriesSuite(service);
