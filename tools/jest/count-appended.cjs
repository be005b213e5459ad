// Counts the events that this process appends to event logs: each makes the file that
// TEST_APPENDED_FILE names a byte longer, so several processes can share it, and a killed one loses
// nothing. Loaded by environment.cjs, and by every service that a test starts through libs/testing.
// Rows that a test inserts itself, and what other programs append, are not counted.
const { subscribe } = require('node:diagnostics_channel');
const { appendFileSync } = require('node:fs');

const file = process.env.TEST_APPENDED_FILE;

const count = ({ events }) => {
  try {
    appendFileSync(file, '.'.repeat(events));
  } catch {
    // a service that a test runs as another user, or without free descriptors, is not counted
  }
};

if (file !== undefined) subscribe('refledger:appended', count);
