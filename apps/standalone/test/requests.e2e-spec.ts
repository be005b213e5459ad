import { authenticationSuite, beforeRoutingSuite, checkOrderSuite, requestsSuite, secrecySuite, sharedService, startStandalone } from '@refledger/testing';

const service = sharedService(() => startStandalone());
authenticationSuite(service);
checkOrderSuite(service);
requestsSuite(service);
beforeRoutingSuite(service);
secrecySuite(service);
