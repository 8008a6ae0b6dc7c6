/** Links of the doctor's page: the commands, settings and files that the page names. Pure. */

export interface DoctorLink {
  start: number;
  end: number;
  /** Address of a command, or path of a file. */
  target: string;
  tooltip: string;
}

/** Names on the page, in English or translated, with the command of each name. */
const NAMED: readonly [RegExp, string][] = [
  [/Placet: (?:Install…|Installieren…)/g, 'command:placet.install'],
  [/Placet: (?:Select Model…|Modell wählen…)/g, 'command:placet.chooseModel'],
  [/Placet: (?:Sign In to Provider…|Bei Anbieter anmelden…)/g, 'command:placet.signIn'],
  [/Workspaces: Manage Workspace Trust/g, 'command:workbench.trust.manage'],
  [/placet\.command/g, `command:workbench.action.openSettings?${encodeURIComponent('["placet.command"]')}`],
  [/"Placet"/g, 'command:placet.showLog'],
];
/** Commands to which the page may lead; the page also opens files and copies the report. */
export const LINKED_COMMANDS: readonly string[] = [
  ...new Set(NAMED.map(([, target]) => target.replace(/^command:/, '').replace(/\?.*$/, ''))),
];
/** A path at the end of a line, or in front of a line number of a rule. */
const FILE = /(?<=[ :(])\/[^\s:`"()]+\.(?:json|log|db|md|toml)\b/g;

export function linksIn(text: string): DoctorLink[] {
  const commands = NAMED.flatMap(([name, target]) => [...text.matchAll(name)].map((match) => linkOf(match, target)));
  const files = [...text.matchAll(FILE)].map((match) => linkOf(match, match[0]));
  return [...commands, ...files].sort((a, b) => a.start - b.start);
}

function linkOf(match: RegExpMatchArray, target: string): DoctorLink {
  const start = match.index ?? 0;
  return { start, end: start + match[0].length, target, tooltip: match[0] };
}
