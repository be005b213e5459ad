import { endpointHistorySuite } from './endpoint-history.suite.js';
import { openEmbedded } from './engines.js';
import { storedEndpointsSuite } from './stored-endpoints.suite.js';
import { storedKeysSuite } from './stored-keys.suite.js';

describe('the history of an endpoint', () => endpointHistorySuite(openEmbedded));
describe('commands on endpoints continue from the read model', () =>
  storedEndpointsSuite(openEmbedded));
describe('a start from stored keys', () => storedKeysSuite(openEmbedded));
