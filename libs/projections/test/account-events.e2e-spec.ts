import { accountEventsSuite } from './account-events.suite.js';
import { Embedded } from './embedded.js';

describe('the events of an account on SQLite', () => {
  const embedded = new Embedded();
  accountEventsSuite({ open: () => embedded.openStore(), remove: () => embedded.remove() });
});
