/**
 * Model and effort that the user last chose, for the sessions that begin afterwards. The setting `placet.rememberModel`
 * says where the choice counts.
 */
import * as vscode from 'vscode';
import { isInForce, type Preferred } from './preferred_model';

const KEY = 'placet.preferred';

type Where = 'everywhere' | 'workspace' | 'window';

export class Preferences implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private inWindow: Preferred = {};

  constructor(
    private readonly everywhere: vscode.Memento,
    private readonly workspace: vscode.Memento,
  ) {}

  dispose(): void {
    this.changed.dispose();
  }

  /** Returns the last choice; an empty object before the first choice. */
  get current(): Preferred {
    return this.memento?.get<Preferred>(KEY, {}) ?? this.inWindow;
  }

  /** Returns the model for a new session, where the settings name `byDefault`; undefined for the settings' model. */
  model(byDefault: string | undefined): string | undefined {
    return isInForce(this.current, byDefault) ? this.current.model : undefined;
  }

  /** Keeps a choice; the kept model gives way once the settings name another model than `over`. */
  async prefer(part: Preferred): Promise<void> {
    const next = { ...this.current, ...part };
    this.inWindow = next;
    const stored = this.memento?.update(KEY, next);
    this.changed.fire();
    await stored;
  }

  private get memento(): vscode.Memento | undefined {
    const where = vscode.workspace.getConfiguration('placet').get<Where>('rememberModel', 'everywhere');
    return where === 'window' ? undefined : where === 'workspace' ? this.workspace : this.everywhere;
  }
}
