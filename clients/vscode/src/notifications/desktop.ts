/** A notification of the desktop itself, as the command that shows it. Extensions have no other way to one. */

export interface DesktopNotice {
  title: string;
  body: string;
  /** Buttons; where the desktop has none for us they are left out. */
  actions: readonly { id: string; label: string }[];
}

export interface DesktopCommand {
  program: string;
  parameters: readonly string[];
}

/**
 * How to show it: the first that works. Where actions can be chosen, the command prints the id of the one that was.
 * None on Windows, where it would take a program of our own.
 */
export function desktopCommands(platform: NodeJS.Platform, notice: DesktopNotice): DesktopCommand[] {
  if (platform === 'linux') {
    const said = ['--', notice.title, escaped(notice.body)];
    const actions = notice.actions.map(({ id, label }) => `--action=${id}=${label}`);
    return [
      { program: 'notify-send', parameters: ['--app-name=Placet', ...actions, ...said] },
      // Before libnotify 0.8 there are no actions.
      { program: 'notify-send', parameters: ['--app-name=Placet', ...said] },
    ];
  }
  if (platform === 'darwin') {
    const script = ['on run argv', 'display notification (item 2 of argv) with title (item 1 of argv)', 'end run'];
    const parameters = [...script.flatMap((line) => ['-e', line]), '--', notice.title, notice.body];
    return [{ program: 'osascript', parameters }];
  }
  return [];
}

/** Desktops read some HTML in a body, and the words may be a model's. */
function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
