/// <reference types="jest" />
import { appending } from './appending.js';
import { readingLongStreams } from './long-stream.js';
import { modeling } from './model.js';
import { reading } from './reading.js';
import { remembering } from './remembering.js';
import { subscribing } from './subscribing.js';
import { eachWithLog, type EventLogUnderTest } from './under-test.js';

export { raceAtEveryStep, settled } from './race-at-every-step.js';
export { eventWith, expectNeverOlder, expectContinuedReading, last } from './remembered-streams.js';
export { SteppedLog } from './stepped-log.js';
export { eachWithLog, eventsOf, newStream, type EventLogUnderTest } from './under-test.js';
export { withAppend } from './with-append.js';

/**
 * Tests the behavior that every adapter of the port must have. `start` is called before each test;
 * it may return the same log each time.
 */
export const eventLogConformance = (
  name: string,
  start: () => Promise<EventLogUnderTest>,
): void => {
  describe(`${name} is an event log`, () => {
    const handles = eachWithLog(start);
    appending(handles);
    reading(handles);
    subscribing(handles);
    modeling(handles);
    remembering(handles);
    readingLongStreams(handles);
  });
};
