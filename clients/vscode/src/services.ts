/**
 * Wires the services behind the commands and views. VS Code loads this module when the user first uses a command or
 * view.
 */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { signIn } from './auth/sign_in';
import { ChangeSet } from './change_set/change_set';
import { reviewCommands } from './change_set/commands';
import { LeftChanges } from './change_set/left_changes';
import { OtherSets } from './change_set/other_sets';
import { ChangeSetView } from './change_set/view';
import { WaitingCalls } from './change_set/waiting_calls';
import { AppliedComments } from './changes/applied_comments';
import { ChangeHistory } from './changes/change_history';
import { changeCommands } from './changes/commands';
import { ChangesProvider } from './changes/source_control';
import { changesTree } from './changes/tree';
import { addedContext } from './chat/added_context';
import { Chats } from './chat/chats';
import { EditorContext } from './chat/editor_context';
import { EditorHost } from './chat/editor_host';
import { goBack, redoGoingBack } from './chat/going_back';
import { SessionNavigation } from './chat/navigation';
import { Participant } from './chat/participant';
import { moveChatTo } from './chat/side_bars';
import { terminalLinks } from './chat/terminal_links';
import { writeCommitMessage } from './commit/message';
import { followWindow } from './daemon/config_watcher';
import { Daemon } from './daemon/daemon';
import { install } from './daemon/installation';
import { startWhenFound } from './daemon/wait_for_program';
import { DiffView } from './diff/diff_view';
import { BaseTexts, ProposalFiles } from './diff/sides';
import { Doctor } from './doctor/doctor';
import { applyStrictly } from './editor/apply_edit';
import { documentRequests } from './editor/document_requests';
import { type Aim, codeActions } from './inline/code_actions';
import { InlinePrompts } from './inline/inline_prompts';
import { EditorDiagnostics } from './language/diagnostics';
import { LANGUAGE_FEATURES, languageFeature } from './language/features';
import { LanguageModelTools } from './language_model_tools/tools';
import { mcpServers } from './mcp/manage_servers';
import { Notifier } from './notifications/notifier';
import { PendingRequests } from './permissions/pending_requests';
import { Prompter } from './permissions/prompter';
import { RequestDocument } from './permissions/request_document';
import { userRequests } from './permissions/requests';
import { type ShownPage, ShownRequests } from './permissions/shown_requests';
import { SessionsTree } from './session_list/tree';
import { Worktrees } from './session_list/worktrees';
import { beginSession } from './sessions/begin';
import * as choose from './sessions/choose';
import { chooseCare } from './sessions/choose_care';
import { CurrentSession } from './sessions/current';
import type { PageSession } from './sessions/page_session';
import { Preferences } from './sessions/preferred';
import { ReviewMode } from './sessions/review_mode';
import { SessionView } from './sessions/session_view';
import { continueInTerminal } from './sessions/terminal';
import { todoTree } from './sessions/todo_tree';
import * as commands from './sessions/turn_commands';
import { StatusBar } from './status/bar';
import { InlineCompletion } from './status/inline_completion';
import { Milestones } from './status/milestones';
import { ShellHistory } from './terminal/shell_history';
import type { Tree } from './ui/tree';

type Commands = Record<string, (...parameters: never[]) => unknown>;

/** All services of a window, which live as long as the extension is active. */
export interface Services {
  agent: Daemon;
  preferences: Preferences;
  pendingRequests: PendingRequests;
  shownRequests: ShownRequests;
  session: CurrentSession;
  chat: Chats;
  /** Services of VS Code for one page of the chat. */
  host(page: PageSession, shown: ShownPage): EditorHost;
  reviewMode: ReviewMode;
  changeSet: ChangeSet;
  leftChanges: LeftChanges;
  otherSets: OtherSets;
  changeSetView: ChangeSetView;
  waitingCalls: WaitingCalls;
  changes: ChangesProvider;
  worktrees: Worktrees;
  /** Trees by view id. */
  trees: Record<string, Tree>;
  inline: InlinePrompts;
  participant: Participant;
  tools: LanguageModelTools;
  status: StatusBar;
  inlineCompletion: InlineCompletion;
  doctor: Doctor;
  /** Commands by command id. */
  commands: Commands;
}

export function openServices(context: vscode.ExtensionContext): Services {
  if (vscode.l10n.bundle) {
    l10n.config({ contents: vscode.l10n.bundle });
  }
  const daemon = openDaemon(context);
  const review = { ...daemon, ...openReview(context, daemon) };
  const all = { ...review, ...openViews(context, review) };
  const { agent, pendingRequests, otherSets, surface } = all;
  context.subscriptions.push(
    agent,
    all.preferences,
    all.editorContext,
    all.shellHistory,
    all.diagnostics,
    all.diffs,
    all.prompter,
    all.askView,
    all.bases,
    all.proposals,
    all.reviewMode,
    all.changeSet,
    otherSets,
    all.changeSetView,
    all.waitingCalls,
    all.appliedComments,
    all.changes,
    all.history,
    all.sessionView,
    all.status,
    all.inlineCompletion,
    all.doctor,
    new Notifier(agent, all.waitingCalls),
    followWindow(agent),
    startWhenFound(agent),
    new Milestones(agent, all.preferences),
    terminalLinks(surface),
    all.worktrees,
    all.sessions.onDidChange(() => otherSets.look()),
  );
  pendingRequests.onChange(() => agent.setWaiting(pendingRequests.waiting.length));
  agent.onDeath(() => {
    for (const ask of pendingRequests.waiting) {
      pendingRequests.withdraw(ask.id);
    }
  });
  return {
    ...all,
    trees: {
      'placet.sessions': all.sessions,
      'placet.changes': changesTree(all.history, all.sessionView, all.changeSet),
      'placet.todo': todoTree(all.sessionView),
    },
    participant: new Participant(agent),
    tools: new LanguageModelTools(agent, all.session, pendingRequests, all.diagnostics),
    commands: { ...promptCommands(all), ...sessionCommands(all), ...reviewingCommands(all), ...windowCommands(all) },
  };
}

/** Opens the daemon, and the services that answer the daemon. */
function openDaemon(context: vscode.ExtensionContext) {
  const pendingRequests = new PendingRequests();
  const diagnostics = new EditorDiagnostics();
  const preferences = new Preferences(context.globalState, context.workspaceState);
  const agent = new Daemon({
    requests: {
      ...documentRequests,
      ...userRequests(pendingRequests),
      'editor/diagnostics': (params, token) => diagnostics.serve(params, token),
      'editor/languageFeature': languageFeature,
    },
    languageFeatures: LANGUAGE_FEATURES,
    applyEdit: applyStrictly,
    codeActions,
    beginSession: (send, params) => beginSession(preferences, send, params),
  });
  return { pendingRequests, diagnostics, preferences, agent, session: new CurrentSession(agent) };
}

type DaemonServices = ReturnType<typeof openDaemon>;

/** Opens the services for changes that the user reviews. */
function openReview({ extensionUri }: vscode.ExtensionContext, { agent, pendingRequests, session }: DaemonServices) {
  const diffs = new DiffView();
  const bases = new BaseTexts();
  const proposals = new ProposalFiles();
  const reviewMode = new ReviewMode(agent, session);
  const changeSet = new ChangeSet(agent, session, pendingRequests);
  const leftChanges = new LeftChanges(agent, session, changeSet);
  const otherSets = new OtherSets(agent, session);
  const changeSetView = new ChangeSetView(changeSet, otherSets, agent, reviewMode, bases, proposals, extensionUri);
  const { comparisons, actions } = changeSetView;
  const waitingCalls = new WaitingCalls(changeSet, pendingRequests, comparisons, actions);
  const appliedComments = new AppliedComments(agent, diffs);
  const askView = new RequestDocument();
  const shownRequests = new ShownRequests();
  const prompter = new Prompter(waitingCalls, askView, shownRequests);
  return {
    ...{
      diffs,
      bases,
      proposals,
      waitingCalls,
      appliedComments,
      reviewMode,
      changeSet,
      leftChanges,
      otherSets,
      changeSetView,
    },
    ...{ askView, shownRequests, prompter },
  };
}

type ReviewServices = DaemonServices & ReturnType<typeof openReview>;

/** Opens the chat, the trees and the other views. */
function openViews(context: vscode.ExtensionContext, services: ReviewServices) {
  const { agent, pendingRequests, session, waitingCalls, prompter, changeSet, shownRequests } = services;
  const editorContext = new EditorContext();
  const shellHistory = new ShellHistory();
  const host = (page: PageSession, shown: ShownPage) =>
    new EditorHost(
      agent,
      prompter,
      shown,
      services.diffs,
      page,
      session,
      services.reviewMode,
      changeSet,
      services.otherSets,
      services.preferences,
      editorContext,
      shellHistory,
    );
  const { extensionUri } = context;
  const chat = new Chats({ extensionUri, agent, asks: waitingCalls, shown: shownRequests, host }, session);
  const surface = new SessionNavigation(chat);
  const worktrees = new Worktrees(agent, surface);
  const sessions = new SessionsTree(agent, session, pendingRequests, surface, worktrees);
  const history = new ChangeHistory(agent, session);
  const changes = new ChangesProvider(history, changeSet);
  const sessionView = new SessionView(agent, session);
  const inline = new InlinePrompts(agent, pendingRequests, session, {
    showChat: (sessionId) => void surface.openSession(sessionId, { focus: false }),
    isChatVisible: () => chat.isVisible,
    review: (askId) => void prompter.review(askId),
  });
  const status = new StatusBar(agent, session);
  const inlineCompletion = new InlineCompletion(agent);
  const doctor = new Doctor(agent, String(context.extension.packageJSON.version));
  return {
    ...{ editorContext, shellHistory, host, chat, surface, worktrees, sessions, history, changes, sessionView },
    ...{ inline, status, inlineCompletion, doctor },
  };
}

type AllServices = ReviewServices & ReturnType<typeof openViews>;

function promptCommands({ inline, surface, shellHistory }: AllServices): Commands {
  return {
    'placet.ask': (text?: string) => inline.ask(text),
    'placet.askHere': (uri?: vscode.Uri, range?: vscode.Range) => inline.askHere(uri, range),
    'placet.prompt': (text: string, aim?: Aim) => inline.prompt(text, aim),
    'placet.fix': () => inline.diagnosed('change'),
    'placet.explain': () => inline.diagnosed('answer'),
    'placet.addSelection': () => surface.addSelection(),
    'placet.addToChat': (uri?: vscode.Uri, all?: vscode.Uri[]) => surface.addFiles(uri, all),
    'placet.addTerminalSelection': () => surface.attach(() => addedContext('terminalSelection', shellHistory)),
    'placet.addLastCommand': () => surface.attach(() => addedContext('lastCommand', shellHistory)),
  };
}

function sessionCommands({ agent, session, surface, chat, preferences }: AllServices): Commands {
  const chooseModel = (named?: string, provider?: string) =>
    choose.chooseModel(agent, session, preferences, named, provider);
  return {
    'placet.open': () => surface.open(),
    'placet.openInEditor': () => chat.openInEditor(),
    'placet.moveToSecondarySideBar': () => moveChatTo('secondary'),
    'placet.moveToPrimarySideBar': () => moveChatTo('primary'),
    'placet.new': () => surface.openSession(null),
    'placet.sessions': async () => {
      const chosen = await choose.pickSession(agent);
      return chosen && surface.openSession(chosen);
    },
    'placet.openSession': (sessionId: string) => surface.openSession(sessionId),
    'placet.openUri': (uri: vscode.Uri) => surface.openUri(uri),
    'placet.agent': (name?: string) => choose.chooseAgent(agent, session, name),
    'placet.model': (name?: string) => chooseModel(name),
    'placet.chooseModel': () => chooseModel(),
    'placet.effort': (name?: string) => choose.chooseEffort(agent, session, preferences, name),
    'placet.profile': (name?: string) => choose.chooseProfile(agent, session, name),
    'placet.mcp': () => mcpServers(agent),
    'placet.signIn': (provider?: string) =>
      signIn(
        agent,
        {
          pickModel: (of) => chooseModel(undefined, of),
          refresh: () => chat.tell({ type: 'refresh' }),
        },
        typeof provider === 'string' ? provider : undefined,
      ),
    'placet.compact': () => choose.compact(agent, session),
    'placet.fork': async () => surface.openSession(await choose.fork(agent, session)),
    'placet.export': () => choose.exportSession(agent, session),
    'placet.goBack': (messageId?: string, sessionId?: string) => goBack(agent, session, surface, sessionId, messageId),
    'placet.redoBack': () => redoGoingBack(agent, session),
    'placet.cancel': () => commands.cancel(agent, session),
  };
}

function reviewingCommands(services: AllServices): Commands {
  const { agent, session, prompter, waitingCalls, reviewMode, leftChanges, changeSetView, history, diffs } = services;
  return {
    'placet.answer': (id?: string) => prompter.open(id),
    'placet.answerWith': (id: string, outcome: 'once' | 'reject') => waitingCalls.answer(id, { outcome }),
    'placet.chooseReview': (name?: string) => chooseCare(agent, session, reviewMode, name),
    ...leftChanges.asking({
      ...reviewCommands(changeSetView.actions, waitingCalls),
      'placet.undo': () => commands.undoOrRedo(agent, session, 'agent/undo'),
      'placet.redo': () => commands.undoOrRedo(agent, session, 'agent/redo'),
    }),
    ...changeSetView.commands,
    'placet.comment.add': (reply: vscode.CommentReply) => services.appliedComments.add(reply),
    ...changeCommands(agent, history, diffs),
  };
}

function windowCommands({ agent, session, sessions, worktrees, inlineCompletion, doctor }: AllServices): Commands {
  return {
    ...sessions.commands,
    ...worktrees.commands,
    ...inlineCompletion.commands,
    'placet.commitMessage': (source?: { rootUri?: vscode.Uri }) => writeCommitMessage(agent, source),
    'placet.continueInTerminal': () => continueInTerminal(session.id),
    'placet.doctor': () => doctor.open(),
    'placet.restart': () => agent.startAgain(),
    'placet.showLog': () => agent.output.show(true),
    'placet.install': () => install(() => agent.startAgain()),
  };
}

export { showError } from './sessions/turn_commands';
