/** Starts a daemon that was not found, once the program is there: after an installation outside this window. */
import * as vscode from 'vscode';
import type { Daemon } from './daemon';
import { discover } from './discovery';

const LOOK_MILLISECONDS = 3000;

export function startWhenFound(daemon: Daemon): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const look = async () => {
    const { candidate } = await discover();
    if (candidate && daemon.status.remedy === 'install') {
      stop();
      await daemon.start().catch(() => undefined);
    }
  };
  return vscode.Disposable.from(
    daemon.onStatus(({ remedy }) => {
      if (remedy !== 'install') {
        stop();
      } else {
        timer ??= setInterval(() => vscode.window.state.focused && void look(), LOOK_MILLISECONDS);
      }
    }),
    vscode.window.onDidChangeWindowState(({ focused }) => focused && timer && void look()),
    { dispose: stop },
  );
}
