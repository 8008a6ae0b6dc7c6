/** Choices from the daemon: sessions, agents, models, commands. */
import type { AgentInfo, CommandInfo, ModelInfo, SessionInfo } from '../../src/wire';
import { request } from './host';

export class Lists {
  sessions: readonly SessionInfo[] = [];
  agents: readonly AgentInfo[] = [];
  defaultAgent: string | undefined;
  models: readonly ModelInfo[] = [];
  commands: readonly CommandInfo[] = [];

  constructor(private readonly changed: () => void) {}

  async refresh(): Promise<void> {
    const [agents, models, commands] = await Promise.allSettled([
      request('agent/agents', {}),
      request('agent/models', {}),
      request('agent/commands', {}),
    ]);
    if (agents.status === 'fulfilled') {
      this.agents = agents.value.agents;
      this.defaultAgent = agents.value.default;
    }
    this.models = models.status === 'fulfilled' ? models.value.models : this.models;
    this.commands = commands.status === 'fulfilled' ? commands.value.commands : this.commands;
    await this.findSessions();
  }

  takeCommands(commands: readonly CommandInfo[]): void {
    this.commands = commands;
    this.changed();
  }

  /** Finds the sessions with each word of the query in a message; without a query, the last used sessions. */
  async findSessions(query = ''): Promise<void> {
    try {
      this.sessions = (await request('agent/session/list', { query, limit: 50 })).sessions;
    } catch {
      this.sessions = [];
    }
    this.changed();
  }
}
