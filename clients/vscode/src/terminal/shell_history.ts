/** The last command of the terminals with shell integration: the line, the output and the exit code. */
import * as vscode from 'vscode';
import { plainOutput } from './plain_output';

/** Limit of the kept output, in characters from the end. */
const MOST_CHARACTERS = 50_000;

interface Ran {
  line: string;
  output: string;
  exitCode: number | undefined;
}

/** Longest wait for the end of the output behind the end of a command. */
const OUTPUT_MILLISECONDS = 1000;

export class ShellHistory implements vscode.Disposable {
  private last: Ran | undefined;
  /** Outputs of the running commands. */
  private readonly outputs = new Map<vscode.TerminalShellExecution, Output>();
  private readonly subscriptions = vscode.Disposable.from(
    vscode.window.onDidStartTerminalShellExecution(({ execution }) => {
      this.outputs.set(execution, new Output(execution.read()));
    }),
    vscode.window.onDidEndTerminalShellExecution(({ execution, exitCode }) => void this.take(execution, exitCode)),
  );

  dispose(): void {
    this.subscriptions.dispose();
  }

  /** Returns the last command as a text. Throws a message for the user when no command is known. */
  lastCommand(): string {
    if (!this.last) {
      throw new Error(vscode.l10n.t('No command has run in a terminal with shell integration yet.'));
    }
    const { line, output, exitCode } = this.last;
    return [`$ ${line}`, output.trimEnd(), exitCode === undefined ? '' : `exit code ${exitCode}`]
      .filter((part) => part !== '')
      .join('\n');
  }

  private async take(execution: vscode.TerminalShellExecution, exitCode: number | undefined): Promise<void> {
    const output = this.outputs.get(execution);
    this.outputs.delete(execution);
    const text = (await output?.atEnd()) ?? '';
    this.last = { line: execution.commandLine.value, output: plainOutput(text), exitCode };
  }
}

/** Output of a command, read as the output comes. */
class Output {
  private text = '';
  private readonly end: Promise<void>;

  constructor(pieces: AsyncIterable<string>) {
    this.end = this.read(pieces);
  }

  /** Returns the output once no more comes, or after a while. */
  async atEnd(): Promise<string> {
    const late = new Promise((resolve) => setTimeout(resolve, OUTPUT_MILLISECONDS));
    await Promise.race([this.end, late]);
    return this.text;
  }

  private async read(pieces: AsyncIterable<string>): Promise<void> {
    for await (const piece of pieces) {
      this.text = (this.text + piece).slice(-MOST_CHARACTERS);
    }
  }
}
