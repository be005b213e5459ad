import { at, given, when } from '../../test/scenario.js';
import { programDecider } from './program.decider.js';

const register = { type: 'register', program_id: 'prog_spring' } as const;

it('registers a program once', () => {
  const events = when(programDecider, given(programDecider), register);
  expect(events).toEqual([{ type: 'program.registered', data: { program_id: 'prog_spring' } }]);
  const state = given(programDecider, ...events);
  expect(state).toEqual({ kind: 'registered', program_id: 'prog_spring', registered_at: at(0) });
  expect(when(programDecider, state, register)).toEqual([]);
});
