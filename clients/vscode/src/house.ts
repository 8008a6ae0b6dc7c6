/** Everything behind the commands and views, put together. Loaded when the first of them is used. */
import type * as vscode from 'vscode';
import { AskDesk } from './chat/asks';
import * as commands from './commands';
import { Daemon } from './daemon/daemon';
import { openDoctor } from './doctor/open';
import { editorRequests } from './editor_requests';
import { EditorDiagnostics } from './eyes/diagnostics';
import { EditorHost } from './panel/host';
import { ChatView } from './panel/view';
import { DiffView } from './permission/diff_view';
import { Prompter } from './permission/prompt';
import { CurrentSession } from './session/current';
import { statusBar } from './status/bar';

export interface House {
  agent: Daemon;
  desk: AskDesk;
  session: CurrentSession;
  chat: ChatView;
  /** By command id. */
  commands: Record<string, (...parameters: never[]) => unknown>;
}

export function openHouse(context: vscode.ExtensionContext): House {
  const desk = new AskDesk();
  const diagnostics = new EditorDiagnostics();
  const diffs = new DiffView();
  const agent = new Daemon(editorRequests(desk, diagnostics, diffs));
  const session = new CurrentSession(agent);
  const prompter = new Prompter(desk, diffs);
  const host = new EditorHost(agent, prompter, diffs, session);
  const chat = new ChatView(context.extensionUri, agent, desk, host);
  context.subscriptions.push(agent, diagnostics, diffs, prompter, statusBar(agent));
  desk.onChange(() => agent.setWaiting(desk.waiting.length));
  agent.onDeath(() => {
    for (const ask of desk.waiting) {
      desk.withdraw(ask.id);
    }
  });
  const version = String(context.extension.packageJSON.version);
  return {
    agent,
    desk,
    session,
    chat,
    commands: {
      'placet.ask': (text?: string) => commands.ask(agent, session, text),
      'placet.undo': () => commands.takeBack(agent, session, 'agent/undo'),
      'placet.redo': () => commands.takeBack(agent, session, 'agent/redo'),
      'placet.cancel': () => commands.cancel(agent, session),
      'placet.chooseModel': () => commands.chooseModel(agent, session),
      'placet.answer': (id?: string) => prompter.open(id),
      'placet.answerWith': (id: string, outcome: 'once' | 'reject') => desk.answer(id, { outcome }),
      'placet.doctor': () => openDoctor(agent, version),
      'placet.restart': () => agent.startAgain(),
      'placet.showLog': () => agent.output.show(true),
      'placet.install': () => commands.install(),
    },
  };
}

export { complain } from './commands';
