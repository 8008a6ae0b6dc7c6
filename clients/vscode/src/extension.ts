/** Entry point for VS Code: registers the commands and views, and loads the services on first use. */
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { hasChanges, indexPath, readIndex } from './change_set/review_index';
import type * as ServicesModule from './services';
import type { Services } from './services';
import { registerTrees } from './ui/tree';

/** Result of `activate` for the extension's own tests. */
export interface TestApi {
  services(): Promise<Services>;
  /** Returns true once the services are loaded. */
  isOpen(): boolean;
  /** Settles after the look for changes that wait for a review. */
  looked: Promise<void>;
}

/** Settings of the inline completion, as far as the start of the daemon needs them. */
interface Completion {
  model?: string;
  mode?: string;
}

export function activate(context: vscode.ExtensionContext): TestApi | undefined {
  let module: typeof ServicesModule | undefined;
  let opened: Services | undefined;
  const services = async (): Promise<Services> => {
    module ??= await import('./services');
    opened ??= module.openServices(context);
    return opened;
  };
  const run = async (command: string, parameters: unknown[]): Promise<unknown> => {
    try {
      return await (await services()).commands[command]?.(...(parameters as never[]));
    } catch (error) {
      void module?.showError(error);
      return undefined;
    }
  };
  const { subscriptions } = context;
  for (const { command } of context.extension.packageJSON.contributes.commands as { command: string }[]) {
    subscriptions.push(
      vscode.commands.registerCommand(command, (...parameters: unknown[]) => run(command, parameters)),
    );
  }
  const view = { resolveWebviewView: async (shown: vscode.WebviewView) => (await services()).chat.resolve(shown) };
  const tab = {
    deserializeWebviewPanel: async (shown: vscode.WebviewPanel, state: unknown) =>
      (await services()).chat.restore(shown, state),
  };
  subscriptions.push(
    vscode.window.registerWebviewViewProvider('placet.chat', view),
    vscode.window.registerWebviewPanelSerializer('placet.chatEditor', tab),
    registerTrees(['placet.sessions', 'placet.changes', 'placet.todo'], async () => (await services()).trees),
    vscode.window.registerUriHandler({ handleUri: (uri) => run('placet.openUri', [uri]) as Promise<void> }),
  );
  registerForOtherAgents(context, services);
  const look = async () => {
    if (await changesWait()) {
      try {
        await (await services()).leftChanges.look();
      } catch (error) {
        void module?.showError(error);
      }
    }
  };
  const looked = look();
  subscriptions.push(
    vscode.workspace.onDidGrantWorkspaceTrust(look),
    startForCompletion(services),
    vscode.workspace.onDidChangeWorkspaceFolders(look),
  );
  return context.extensionMode === vscode.ExtensionMode.Test
    ? { services, isOpen: () => opened !== undefined, looked }
    : undefined;
}

/** Starts the daemon with the window, as soon as the user's settings of VS Code want inline completion. */
function startForCompletion(services: () => Promise<Services>): vscode.Disposable {
  const start = async () => {
    if (completes()) {
      // A failure is in the status bar.
      await (await services()).agent.start().catch(() => undefined);
    }
  };
  void start();
  return vscode.Disposable.from(
    vscode.workspace.onDidGrantWorkspaceTrust(start),
    vscode.workspace.onDidChangeConfiguration(
      (change) => change.affectsConfiguration('placet.settings') && void start(),
    ),
  );
}

/** Returns true if the user's settings of VS Code name a model for inline completion, so that the daemon is needed at once. */
function completes(): boolean {
  const settings = vscode.workspace.getConfiguration('placet').inspect<{ completion?: Completion }>('settings');
  const { model, mode } = settings?.globalValue?.completion ?? {};
  return vscode.workspace.isTrusted && Boolean(model) && mode !== 'off';
}

/** Registers the chat participant and the tools for other agents, where the editor supports such extensions. */
function registerForOtherAgents(context: vscode.ExtensionContext, services: () => Promise<Services>): void {
  if (vscode.chat?.createChatParticipant) {
    context.subscriptions.push(
      vscode.chat.createChatParticipant('placet.placet', async (...request) =>
        (await services()).participant.handle(...request),
      ),
    );
  }
  if (vscode.lm?.registerTool) {
    for (const { name } of context.extension.packageJSON.contributes.languageModelTools as { name: string }[]) {
      context.subscriptions.push(
        vscode.lm.registerTool(name, {
          prepareInvocation: async (options) => (await services()).tools.prepare(name, options.input as object),
          invoke: async (options, token) => (await services()).tools.invoke(name, options.input as object, token),
        }),
      );
    }
  }
}

/** Returns true if the index of the daemon lists changes to review in a folder of the window; starts nothing. */
async function changesWait(): Promise<boolean> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  if (!vscode.workspace.isTrusted || folders.length === 0) {
    return false;
  }
  const text = await readIndex(indexPath(process.platform, process.env, homedir()));
  return text !== undefined && hasChanges(text, folders, process.platform);
}
