import { endpointHistorySuite } from './endpoint-history.suite.js';
import { openEmbedded } from './engines.js';
import { storedEndpointsSuite } from './stored-endpoints.suite.js';
import { storedKeysSuite } from './stored-keys.suite.js';

endpointHistorySuite(openEmbedded);
storedEndpointsSuite(openEmbedded);
storedKeysSuite(openEmbedded);
