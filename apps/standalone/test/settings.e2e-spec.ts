import { publicTargetsSettings, rateLimitSettings, rateLimitSuite, settingsSuite, sharedService, startStandalone, strictSettings, targetGuardSuite } from '@refledger/testing';

rateLimitSuite(sharedService(() => startStandalone({ env: rateLimitSettings })));
const strict = sharedService(() => startStandalone({ env: { ...strictSettings, ...publicTargetsSettings } }));
settingsSuite(strict);
targetGuardSuite(strict);
