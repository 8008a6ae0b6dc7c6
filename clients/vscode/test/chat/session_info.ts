import type { SessionInfo } from '../../src/wire';

/** Session of the tests of the chat. */
export const INFO: SessionInfo = {
  id: 'ses_1',
  title: 'A session',
  agent: 'build',
  model: 'm',
  baseModel: 'm',
  roots: [],
  created: 1,
  updated: 1,
};
