import type { EventLog } from '../event-log.js';

/** Test double: the same log, but with this function for appends. */
export const withAppend = (log: EventLog, append: EventLog['append']): EventLog =>
  new Proxy(log, {
    get: (target, name) => {
      if (name === 'append') return append;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
