/** What VS Code loads: it registers the commands and views, and loads the rest when one of them is first used. */
import * as vscode from 'vscode';
import type * as HouseModule from './house';
import type { House } from './house';

const COMMANDS = [
  'placet.ask',
  'placet.undo',
  'placet.redo',
  'placet.cancel',
  'placet.chooseModel',
  'placet.answer',
  'placet.answerWith',
  'placet.doctor',
  'placet.restart',
  'placet.showLog',
  'placet.install',
] as const;

/** For the extension's own tests. */
export interface TestApi {
  activationMilliseconds: number;
  house(): Promise<House>;
}

export function activate(context: vscode.ExtensionContext): TestApi | undefined {
  const start = performance.now();
  let module: typeof HouseModule | undefined;
  let opened: House | undefined;
  const house = async (): Promise<House> => {
    module ??= await import('./house');
    opened ??= module.openHouse(context);
    return opened;
  };
  const run = async (command: string, parameters: unknown[]): Promise<unknown> => {
    try {
      return await (await house()).commands[command]?.(...(parameters as never[]));
    } catch (error) {
      void module?.complain(error);
      return undefined;
    }
  };
  const view = { resolveWebviewView: async (shown: vscode.WebviewView) => (await house()).chat.resolve(shown) };
  context.subscriptions.push(vscode.window.registerWebviewViewProvider('placet.chat', view));
  for (const command of COMMANDS) {
    context.subscriptions.push(
      vscode.commands.registerCommand(command, (...parameters: unknown[]) => run(command, parameters)),
    );
  }
  const activationMilliseconds = performance.now() - start;
  return context.extensionMode === vscode.ExtensionMode.Test ? { house, activationMilliseconds } : undefined;
}
