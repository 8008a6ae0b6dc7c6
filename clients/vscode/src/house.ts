/** Everything behind the commands and views, put together. Loaded when the first of them is used. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Aim } from './actions/code_actions';
import { AskDesk } from './chat/asks';
import * as commands from './commands';
import { writeCommitMessage } from './commit/message';
import { Daemon } from './daemon/daemon';
import { install } from './daemon/installation';
import { Doctor } from './doctor/open';
import { editorRequests } from './editor_requests';
import { EditorDiagnostics } from './eyes/diagnostics';
import { InlinePrompts } from './inline/ask';
import { LanguageModelTools } from './language_model_tools/tools';
import { signIn } from './login/pick';
import { mcpServers } from './mcp/pick';
import { Notifier } from './notify/notifier';
import { EditorHost } from './panel/host';
import { ChatView } from './panel/view';
import { Participant } from './participant/participant';
import { AskView } from './permission/ask_view';
import { DiffView } from './permission/diff_view';
import { Prompter } from './permission/prompt';
import { reviewCommands } from './review/commands';
import { Reviews } from './review/reviews';
import { followWindow } from './roots/follow';
import { ChangeSet } from './scm/change_set';
import { changeCommands } from './scm/commands';
import { ChangesProvider } from './scm/provider';
import { chooseCare } from './session/care';
import * as choose from './session/choose';
import { CurrentSession } from './session/current';
import { SessionSurface } from './session/surface';
import { continueInTerminal, terminalLinks } from './session/terminal';
import { StatusBar } from './status/bar';
import { changesTree } from './trees/changes';
import { SessionView } from './trees/session_view';
import { SessionsTree } from './trees/sessions';
import { todoTree } from './trees/todo';
import type { Tree } from './trees/tree';

export interface House {
  agent: Daemon;
  desk: AskDesk;
  session: CurrentSession;
  chat: ChatView;
  host: EditorHost;
  reviews: Reviews;
  changes: ChangesProvider;
  /** By view id. */
  trees: Record<string, Tree>;
  inline: InlinePrompts;
  participant: Participant;
  tools: LanguageModelTools;
  status: StatusBar;
  /** By command id. */
  commands: Record<string, (...parameters: never[]) => unknown>;
}

export function openHouse(context: vscode.ExtensionContext): House {
  if (vscode.l10n.bundle) {
    l10n.config({ contents: vscode.l10n.bundle });
  }
  const desk = new AskDesk();
  const diagnostics = new EditorDiagnostics();
  const diffs = new DiffView();
  const agent = new Daemon(editorRequests(desk, diagnostics));
  const session = new CurrentSession(agent);
  const reviews = new Reviews(desk, agent, context.extensionUri, (uri) => diffs.applied(uri));
  const askView = new AskView();
  const prompter = new Prompter(desk, reviews, askView);
  const host = new EditorHost(agent, prompter, diffs, session);
  const chat = new ChatView(context.extensionUri, agent, reviews.asks, host);
  const surface = new SessionSurface(chat, session);
  const changeSet = new ChangeSet(agent, session);
  const changes = new ChangesProvider(reviews, changeSet);
  const sessionView = new SessionView(agent, session);
  const sessions = new SessionsTree(agent, session, (sessionId) => surface.openSession(sessionId));
  const inline = new InlinePrompts(agent, desk, session, {
    showChat: (sessionId) => void surface.openSession(sessionId, { focus: false }),
    isChatVisible: () => chat.isVisible,
    review: (askId) => void prompter.review(askId),
  });
  const status = new StatusBar(agent, session);
  const doctor = new Doctor(agent, String(context.extension.packageJSON.version));
  context.subscriptions.push(
    agent,
    diagnostics,
    diffs,
    prompter,
    askView,
    reviews,
    changes,
    changeSet,
    sessionView,
    status,
    doctor,
    new Notifier(agent, desk),
    followWindow(agent),
    terminalLinks((sessionId) => surface.openSession(sessionId)),
  );
  desk.onChange(() => agent.setWaiting(desk.waiting.length));
  agent.onDeath(() => {
    for (const ask of desk.waiting) {
      desk.withdraw(ask.id);
    }
  });
  return {
    agent,
    desk,
    session,
    chat,
    host,
    reviews,
    changes,
    trees: {
      'placet.sessions': sessions,
      'placet.changes': changesTree(changeSet, sessionView, reviews),
      'placet.todo': todoTree(sessionView),
    },
    inline,
    participant: new Participant(agent),
    tools: new LanguageModelTools(agent, session, desk, diagnostics),
    status,
    commands: {
      'placet.ask': (text?: string) => inline.ask(text),
      'placet.askHere': (uri?: vscode.Uri, range?: vscode.Range) => inline.askHere(uri, range),
      'placet.prompt': (text: string, aim?: Aim) => inline.prompt(text, aim),
      'placet.fix': () => inline.diagnosed('change'),
      'placet.explain': () => inline.diagnosed('answer'),
      'placet.addSelection': () => surface.addSelection(),
      'placet.addToChat': (one?: vscode.Uri, all?: vscode.Uri[]) => surface.addFiles(one, all),
      'placet.open': () => surface.open(),
      'placet.new': () => surface.openSession(null),
      'placet.sessions': async () => {
        const chosen = await choose.pickSession(agent);
        return chosen && surface.openSession(chosen);
      },
      'placet.openSession': (sessionId: string) => surface.openSession(sessionId),
      'placet.openUri': (uri: vscode.Uri) => surface.openUri(uri),
      'placet.agent': (name?: string) => choose.chooseAgent(agent, session, name),
      'placet.model': (name?: string) => choose.chooseModel(agent, session, name),
      'placet.chooseModel': () => choose.chooseModel(agent, session),
      'placet.chooseCare': () => chooseCare(),
      'placet.mcp': () => mcpServers(agent),
      'placet.signIn': () => signIn(agent),
      'placet.compact': () => choose.compact(agent, session),
      'placet.fork': async () => surface.openSession(await choose.fork(agent, session)),
      'placet.export': () => choose.exportSession(agent, session),
      'placet.undo': () => commands.takeBack(agent, session, 'agent/undo'),
      'placet.redo': () => commands.takeBack(agent, session, 'agent/redo'),
      'placet.cancel': () => commands.cancel(agent, session),
      'placet.answer': (id?: string) => prompter.open(id),
      'placet.answerWith': (id: string, outcome: 'once' | 'reject') => reviews.complete(id, { outcome }),
      ...reviewCommands(reviews, prompter),
      ...changeCommands(agent, changeSet, diffs),
      ...sessions.commands,
      'placet.commitMessage': (source?: { rootUri?: vscode.Uri }) => writeCommitMessage(agent, source),
      'placet.continueInTerminal': () => continueInTerminal(session.known),
      'placet.doctor': () => doctor.open(),
      'placet.restart': () => agent.startAgain(),
      'placet.showLog': () => agent.output.show(true),
      'placet.install': () => install(() => agent.startAgain()),
    },
  };
}

export { complain } from './commands';
