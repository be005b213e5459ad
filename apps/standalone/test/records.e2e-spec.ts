import { affiliateEmailsSuite, affiliatesSuite, conversionsSuite, duplicatesSuite, idempotencySuite, revisionsSuite, sharedService, startStandalone } from '@refledger/testing';

const service = sharedService(() => startStandalone());
conversionsSuite(service);
duplicatesSuite(service);
affiliatesSuite(service);
affiliateEmailsSuite(service);
idempotencySuite(service);
revisionsSuite(service);
