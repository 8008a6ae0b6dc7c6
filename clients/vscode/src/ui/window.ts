/**
 * VS Code's own windows for texts. Every text is shown as plain text: VS Code would run a command from a link in a
 * message or a prompt, and draw an icon for `$(name)`. No other module calls the wrapped functions (a test checks this
 * rule).
 */
import * as vscode from 'vscode';
import { fenced, plain } from './plain_text';

type Button = string | vscode.MessageItem;
type Show = <T extends Button>(
  message: string,
  options: vscode.MessageOptions,
  ...buttons: T[]
) => Thenable<T | undefined>;

/** Entry of a picker; `icon` names an icon of VS Code, in front of the label. */
export interface Entry {
  label: string;
  description?: string;
  detail?: string;
  icon?: string;
  picked?: boolean;
  /** True for a line with a title between groups, which cannot be picked. */
  isSeparator?: boolean;
}

type PickOptions = Omit<vscode.QuickPickOptions, 'canPickMany'>;
type Shown<T> = vscode.QuickPickItem & { entry: T };

export function inform<T extends Button>(message: string, ...buttons: T[]): Thenable<T | undefined> {
  return (vscode.window.showInformationMessage as Show)(plain(message), {}, ...buttons);
}

export function warn<T extends Button>(message: string, ...buttons: T[]): Thenable<T | undefined> {
  return (vscode.window.showWarningMessage as Show)(plain(message), {}, ...buttons);
}

export function fail<T extends Button>(message: string, ...buttons: T[]): Thenable<T | undefined> {
  return (vscode.window.showErrorMessage as Show)(plain(message), {}, ...buttons);
}

/** Tells the user why an act failed that no command waits for. */
export function complain(error: unknown): void {
  void fail(`Placet: ${error instanceof Error ? error.message : error}`);
}

/** Asks in a modal dialogue. */
export async function confirm(message: string, detail: string, action: string): Promise<boolean> {
  const options = { modal: true, detail: plain(detail) };
  return (await (vscode.window.showWarningMessage as Show)(plain(message), options, action)) === action;
}

export function progress<T>(
  options: vscode.ProgressOptions & { title: string },
  task: (progress: vscode.Progress<unknown>, token: vscode.CancellationToken) => Thenable<T>,
): Thenable<T> {
  return vscode.window.withProgress({ ...options, title: plain(options.title) }, task);
}

export interface Link {
  label: string;
  command: string;
  parameters: readonly unknown[];
}

/**
 * Shows a notification with links of ours, which the caller can close; the notification takes no focus. Closing means
 * "later".
 */
export function notice(message: string, links: readonly Link[]): vscode.Disposable {
  let close = (): void => undefined;
  const open = new Promise<void>((resolve) => {
    close = resolve;
  });
  const title = [plain(message), ...links.map(linked)].join(' · ');
  void vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () => open);
  return { dispose: close };
}

function linked({ label, command, parameters }: Link): string {
  return `[${label}](command:${command}?${encodeURIComponent(JSON.stringify(parameters))})`;
}

/** Returns a hover with a title and a diff. The hover is not trusted, so that no link in the hover runs a command. */
export function diffHover(title: string, diff: string): vscode.MarkdownString {
  return new vscode.MarkdownString(`${plain(title)}\n\n${fenced(diff, 'diff')}`);
}

/** Shows a text in the status bar for a time. */
export function showInStatusBar(text: string, milliseconds: number): void {
  vscode.window.setStatusBarMessage(plain(text), milliseconds);
}

/** Shows a text with a spinner in the status bar until disposal. */
export function showBusy(text: string): vscode.Disposable {
  return vscode.window.setStatusBarMessage(`$(loading~spin) ${plain(text)}`);
}

/** Shows in the status bar until disposal that something waits for the user. */
export function showWaiting(text: string): vscode.Disposable {
  return vscode.window.setStatusBarMessage(`$(bell-dot) ${plain(text)}`);
}

export async function pick<T extends Entry>(
  entries: readonly T[],
  options: PickOptions,
  token?: vscode.CancellationToken,
): Promise<T | undefined> {
  return (await vscode.window.showQuickPick(entries.map(shown), plainOptions(options), token))?.entry;
}

export async function pickSeveral<T extends Entry>(
  entries: readonly T[],
  options: PickOptions,
  token?: vscode.CancellationToken,
): Promise<T[] | undefined> {
  const many = { ...plainOptions(options), canPickMany: true as const };
  return (await vscode.window.showQuickPick(entries.map(shown), many, token))?.map(({ entry }) => entry);
}

/** Lets the user pick an entry; a button in the title copies the text, as often as the user presses the button. */
export async function pickWithCopy<T extends Entry>(
  entries: readonly T[],
  options: { title: string; placeHolder: string; copyable?: string | undefined },
  token: vscode.CancellationToken,
): Promise<T | undefined> {
  const { title, placeHolder, copyable } = options;
  const box = vscode.window.createQuickPick<Shown<T>>();
  Object.assign(box, { title: plain(title), placeholder: plain(placeHolder), ignoreFocusOut: true });
  box.items = entries.map(shown);
  const button = (icon: string, tooltip: string) => ({ iconPath: new vscode.ThemeIcon(icon), tooltip });
  box.buttons = copyable === undefined ? [] : [button('copy', vscode.l10n.t('Copy Code'))];
  try {
    return await new Promise((resolve, reject) => {
      const copy = async () => {
        await vscode.env.clipboard.writeText(copyable ?? '');
        box.buttons = [button('check', vscode.l10n.t('Copied'))];
      };
      box.onDidTriggerButton(() => copy().catch(reject));
      box.onDidAccept(() => resolve(box.selectedItems[0]?.entry));
      box.onDidHide(() => resolve(undefined));
      token.onCancellationRequested(() => box.hide());
      box.show();
    });
  } finally {
    box.dispose();
  }
}

/** Button of an entry; `press` returns the entries to show from then on. */
export interface EntryButton<T> {
  icon: string;
  tooltip: string;
  press(entry: T): Promise<readonly T[]>;
}

/** Lets the user pick an entry, or press the button of an entry, which keeps the list open. */
export async function pickOrPress<T extends Entry>(
  entries: readonly T[],
  options: { title: string; buttonOf: (entry: T) => EntryButton<T> | undefined },
): Promise<T | undefined> {
  const box = vscode.window.createQuickPick<Shown<T>>();
  box.title = plain(options.title);
  box.matchOnDescription = true;
  const withButton = (entry: T): Shown<T> => {
    const button = options.buttonOf(entry);
    const buttons = button ? [{ iconPath: new vscode.ThemeIcon(button.icon), tooltip: plain(button.tooltip) }] : [];
    return { ...shown(entry), buttons };
  };
  box.items = entries.map(withButton);
  try {
    return await new Promise((resolve, reject) => {
      const press = async (entry: T) => {
        const changed = (await options.buttonOf(entry)?.press(entry)) ?? [];
        box.keepScrollPosition = true;
        box.items = changed.map(withButton);
        box.activeItems = box.items.filter(({ label }) => label === plain(entry.label));
      };
      box.onDidTriggerItemButton(({ item }) => press(item.entry).catch(reject));
      box.onDidAccept(() => resolve(box.selectedItems[0]?.entry));
      box.onDidHide(() => resolve(undefined));
      box.show();
    });
  } finally {
    box.dispose();
  }
}

/** Lets the user pick from the results of a search for the typed text. */
export async function pickFound<T extends Entry>(
  title: string,
  placeholder: string,
  find: (query: string) => Promise<T[]>,
): Promise<T | undefined> {
  const box = vscode.window.createQuickPick<Shown<T>>();
  box.title = plain(title);
  box.placeholder = plain(placeholder);
  const fill = async (query: string) => {
    box.busy = true;
    try {
      const matches = await find(query);
      if (query === box.value.trim()) {
        box.items = matches.map((entry) => ({ ...shown(entry), alwaysShow: true }));
      }
    } finally {
      box.busy = false;
    }
  };
  try {
    return await new Promise((resolve, reject) => {
      box.onDidChangeValue((value) => fill(value.trim()).catch(reject));
      box.onDidAccept(() => resolve(box.selectedItems[0]?.entry));
      box.onDidHide(() => resolve(undefined));
      box.show();
      fill('').catch(reject);
    });
  } finally {
    box.dispose();
  }
}

export function input(options: vscode.InputBoxOptions, token?: vscode.CancellationToken): Thenable<string | undefined> {
  const { title, prompt, placeHolder } = options;
  const texts = {
    ...(title === undefined ? {} : { title: plain(title) }),
    ...(prompt === undefined ? {} : { prompt: plain(prompt) }),
    ...(placeHolder === undefined ? {} : { placeHolder: plain(placeHolder) }),
  };
  return vscode.window.showInputBox({ ...options, ...texts }, token);
}

function shown<T extends Entry>(entry: T): Shown<T> {
  const { label, description, detail, icon, picked, isSeparator } = entry;
  return {
    label: plain(label),
    ...(isSeparator && { kind: vscode.QuickPickItemKind.Separator }),
    ...(description === undefined ? {} : { description: plain(description) }),
    ...(detail === undefined ? {} : { detail: plain(detail) }),
    ...(icon === undefined ? {} : { iconPath: new vscode.ThemeIcon(icon) }),
    ...(picked === undefined ? {} : { picked }),
    entry,
  };
}

function plainOptions(options: PickOptions): PickOptions {
  const { title, placeHolder } = options;
  return {
    ...options,
    ...(title === undefined ? {} : { title: plain(title) }),
    ...(placeHolder === undefined ? {} : { placeHolder: plain(placeHolder) }),
  };
}
