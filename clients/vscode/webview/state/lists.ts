/** Choices from the daemon: sessions, agents, models, commands. */
import type { AgentInfo, CommandInfo, LocalModelOffer, Login, ModelInfo, SessionInfo } from '../../src/wire';
import { request } from './host';

export class Lists {
  sessions: readonly SessionInfo[] = [];
  agents: readonly AgentInfo[] = [];
  defaultAgent: string | undefined;
  models: readonly ModelInfo[] = [];
  commands: readonly CommandInfo[] = [];
  /** Model of the settings, with the state of the key for the model. */
  login: Login | undefined;
  /** Model that Placet could run itself; only while the user has no model. */
  localModel: LocalModelOffer | undefined;

  constructor(private readonly changed: () => void) {}

  async refresh(): Promise<void> {
    const [agents, models, commands, status] = await Promise.allSettled([
      request('agent/agents', {}),
      request('agent/models', {}),
      request('agent/commands', {}),
      request('agent/status', {}),
    ]);
    if (agents.status === 'fulfilled') {
      this.agents = agents.value.agents;
      this.defaultAgent = agents.value.default;
    }
    this.models = models.status === 'fulfilled' ? models.value.models : this.models;
    this.commands = commands.status === 'fulfilled' ? commands.value.commands : this.commands;
    this.login = status.status === 'fulfilled' ? status.value.model : this.login;
    this.localModel = status.status === 'fulfilled' ? status.value.localModel : this.localModel;
    await this.findSessions();
  }

  /** Reads the models again, as a key or a server may have come. */
  async refreshModels(): Promise<void> {
    const [models, status] = await Promise.allSettled([request('agent/models', {}), request('agent/status', {})]);
    this.models = models.status === 'fulfilled' ? models.value.models : this.models;
    this.login = status.status === 'fulfilled' ? status.value.model : this.login;
    this.localModel = status.status === 'fulfilled' ? status.value.localModel : this.localModel;
    this.changed();
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
