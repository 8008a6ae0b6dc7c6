/** Builds the command for a notification of the desktop, which is the only way for an extension. */

export interface DesktopNotice {
  title: string;
  body: string;
  /** Buttons, left out where the desktop supports no buttons. */
  actions: readonly { id: string; label: string }[];
}

export interface DesktopCommand {
  program: string;
  parameters: readonly string[];
}

/**
 * Returns the commands to try until a command works. With actions, the command prints the id of the chosen action.
 * Returns no command on Windows, where a notification would need a program of our own.
 */
export function desktopCommands(platform: NodeJS.Platform, notice: DesktopNotice): DesktopCommand[] {
  if (platform === 'linux') {
    const texts = ['--', notice.title, escaped(notice.body)];
    const actions = notice.actions.map(({ id, label }) => `--action=${id}=${label}`);
    return [
      { program: 'notify-send', parameters: ['--app-name=Placet', ...actions, ...texts] },
      // libnotify before 0.8 has no actions.
      { program: 'notify-send', parameters: ['--app-name=Placet', ...texts] },
    ];
  }
  if (platform === 'darwin') {
    const script = ['on run argv', 'display notification (item 2 of argv) with title (item 1 of argv)', 'end run'];
    const parameters = [...script.flatMap((line) => ['-e', line]), '--', notice.title, notice.body];
    return [{ program: 'osascript', parameters }];
  }
  return [];
}

/** Escapes a body: desktops read some HTML in a body, and the text may come from a model. */
function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
