import { sharedService, startStandalone } from '@refledger/testing';
import {
  requestsInFlightSettings,
  requestsInFlightSuite,
} from '../../src/hostile/receivers/requests-in-flight.suite.js';

requestsInFlightSuite(sharedService(() => startStandalone({ env: requestsInFlightSettings })));
