/**
 * Daemon as a language server of this window: the command is discovered, the process starts on first need, and starts
 * again after a crash.
 */
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  type ServerOptions,
  type StaticFeature,
} from 'vscode-languageclient/node';
import type { ApplyEdit, ApplyEditResult, NewSession, SessionEvent } from '../wire';
import type { Agent, Status } from './agent';
import { BackOff } from './back_off';
import { discover } from './discovery';
import type { EditorSide, Send } from './editor_side';
import { declaration, greetingOf } from './handshake';
import { userSettings, workspaceSettings } from './listed_settings';
import { plainMessages } from './plain_messages';
import { afterUpdate, STOPPED } from './status';

/** Error for a daemon that cannot start; the message names the reason and the remedy. */
export class NoDaemon extends Error {
  override readonly name = 'NoDaemon';

  constructor(
    message: string,
    readonly action?: 'install' | 'trust' | 'doctor',
  ) {
    super(message);
  }
}

export class Daemon implements Agent, vscode.Disposable {
  readonly output: vscode.LogOutputChannel;
  private readonly updates = new vscode.EventEmitter<SessionEvent>();
  private readonly changes = new vscode.EventEmitter<Status>();
  private readonly deaths = new vscode.EventEmitter<void>();
  readonly onUpdate = this.updates.event;
  readonly onStatus = this.changes.event;
  /** Fires when the process ends; every request of the daemon ends with the process. */
  readonly onDeath = this.deaths.event;
  private current: Status = STOPPED;
  private client: Promise<LanguageClient> | undefined;
  private readonly backOff = new BackOff();
  private restart: NodeJS.Timeout | undefined;

  constructor(private readonly editor: EditorSide) {
    this.output = vscode.window.createOutputChannel('Placet', { log: true });
  }

  get status(): Status {
    return this.current;
  }

  async request(method: string, params: unknown, token?: vscode.CancellationToken): Promise<never> {
    const client = await this.start();
    // With an undefined token, the client would send the params as a list.
    const send: Send = (method, params) =>
      token ? client.sendRequest(method, params ?? {}, token) : client.sendRequest(method, params ?? {});
    return method === 'agent/session/new'
      ? (this.editor.beginSession(send, params as NewSession) as Promise<never>)
      : send(method, params);
  }

  notify(method: string, params: unknown): void {
    if (this.current.state === 'ready') {
      void this.client?.then((client) => client.sendNotification(method, params ?? {}));
    }
  }

  /** Sets the number of pending requests, which only PendingRequests knows. */
  setWaiting(waiting: number): void {
    this.become({ ...this.current, waiting });
  }

  /** Returns the running daemon. Throws NoDaemon. */
  start(): Promise<LanguageClient> {
    clearTimeout(this.restart);
    this.client ??= this.open().catch((error: unknown) => {
      this.client = undefined;
      const problem = error instanceof Error ? error.message : String(error);
      this.output.error(problem);
      const remedy = error instanceof NoDaemon ? error.action : undefined;
      this.become({ ...STOPPED, state: 'failed', problem, ...(remedy && { remedy }) });
      throw error;
    });
    return this.client;
  }

  /** Restarts the daemon with the current settings and command. */
  async startAgain(): Promise<void> {
    this.backOff.forget();
    await this.stop();
    await this.start();
  }

  async stop(): Promise<void> {
    clearTimeout(this.restart);
    const client = this.client;
    this.client = undefined;
    this.become(STOPPED);
    this.deaths.fire();
    await client?.then(
      (languageClient) => languageClient.dispose(),
      () => undefined,
    );
  }

  async dispose(): Promise<void> {
    await this.stop();
    vscode.Disposable.from(this.updates, this.changes, this.deaths, this.output).dispose();
  }

  private async open(): Promise<LanguageClient> {
    if (!vscode.workspace.isTrusted) {
      throw new NoDaemon(
        vscode.l10n.t('Placet runs commands and edits files. Trust this folder to use Placet.'),
        'trust',
      );
    }
    this.become({ ...STOPPED, state: 'starting' });
    const { candidate } = await discover();
    if (!candidate) {
      throw new NoDaemon(vscode.l10n.t('Placet was not found. Install Placet, or set placet.command.'), 'install');
    }
    const [program = '', ...parameters] = candidate.command;
    this.output.info(`Starting ${candidate.command.join(' ')} (${candidate.source})`);
    const client = new LanguageClient('placet', 'Placet', serverOptions(program, parameters), this.clientOptions());
    client.registerFeature(NO_PROGRESS);
    for (const [method, serve] of Object.entries(this.editor.requests)) {
      client.onRequest(method, serve as (params: unknown, token: vscode.CancellationToken) => unknown);
    }
    client.onNotification('agent/update', (event: SessionEvent) => this.take(event));
    try {
      await client.start();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new NoDaemon(vscode.l10n.t('Placet did not start: {0}', reason), 'doctor');
    }
    const greeting = greetingOf(client.initializeResult?.capabilities);
    if (greeting.problem) {
      await client.dispose();
      throw new NoDaemon(greeting.problem, 'doctor');
    }
    this.become({ ...this.current, state: 'ready', version: greeting.version });
    return client;
  }

  private clientOptions(): LanguageClientOptions {
    const configuration = vscode.workspace.getConfiguration('placet');
    const inspect = (name: string) => configuration.inspect(name);
    return {
      documentSelector: [{ scheme: 'file' }],
      outputChannel: this.output,
      connectionOptions: { messageStrategy: plainMessages },
      initializationOptions: {
        agent: declaration(Object.keys(this.editor.requests), this.editor.languageFeatures, vscode.workspace.isTrusted),
        settings: userSettings(inspect),
        workspaceSettings: workspaceSettings(inspect),
      },
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          this.died();
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
      middleware: {
        provideCodeActions: async (document, range, context, token, next) =>
          this.editor.codeActions(await next(document, range, context, token), document, range, context.only),
        workspace: {
          handleApplyEdit: (params, next) => {
            const edit = params as unknown as ApplyEdit;
            const answer: Promise<ApplyEditResult> | undefined =
              edit.agent && this.editor.applyEdit({ ...edit, agent: edit.agent });
            return (answer as ReturnType<typeof next> | undefined) ?? next(params, never);
          },
        },
      },
    };
  }

  private take(event: SessionEvent): void {
    this.become(afterUpdate(this.current, event.sessionId, event.update));
    this.updates.fire(event);
  }

  private died(): void {
    if (this.current.state !== 'ready') {
      return;
    }
    this.client = undefined;
    this.deaths.fire();
    const wait = this.backOff.died(performance.now());
    if (wait === undefined) {
      this.become({
        ...STOPPED,
        state: 'failed',
        problem: vscode.l10n.t('Placet stopped too often. See the log for details.'),
      });
      return;
    }
    this.output.warn(`The daemon ended; starting it again in ${wait} ms`);
    this.become({ ...STOPPED, state: 'starting' });
    this.restart = setTimeout(() => void this.start().catch(() => undefined), wait);
  }

  private become(status: Status): void {
    if (status !== this.current) {
      this.current = status;
      this.changes.fire(status);
    }
  }
}

const never: vscode.CancellationToken = new vscode.CancellationTokenSource().token;

/** Declines the progress of turns: the client would turn a spinner, also while a turn waits for the user. */
const NO_PROGRESS: StaticFeature = {
  fillClientCapabilities: ({ window }) => {
    if (window) {
      window.workDoneProgress = false;
    }
  },
  initialize: () => undefined,
  getState: () => ({ kind: 'static' }),
  clear: () => undefined,
};

function serverOptions(program: string, parameters: readonly string[]): ServerOptions {
  // The process starts in the home folder: `python -m placet` would import modules from the start folder. The client
  // sends the workspace folders.
  const cwd = vscode.workspace.workspaceFolders?.some(({ uri }) => uri.scheme === 'file') ? homedir() : undefined;
  // With `transport`, the client would add an argument. Without `transport`, the client uses stdio.
  return { command: program, args: [...parameters], options: cwd ? { cwd } : {} };
}
