/** Report of `Placet: Doctor`, as sections and as Markdown. The report names keys, but no values of keys. Pure. */
import * as l10n from '@vscode/l10n';
import type { Status } from '../daemon/agent';
import type { Discovery } from '../daemon/discovery';
import type { AgentList, Status as DaemonStatus, ModelList, PermissionList } from '../wire';

export interface Facts {
  editor: string;
  extension: string;
  node: string;
  platform: string;
  isTrusted: boolean;
  remote: string | undefined;
  folders: readonly string[];
  /** Folders that do not exist on a disk. */
  virtualFolders: readonly string[];
  discovery: Discovery;
  /** Duration of the search for the command, in milliseconds. */
  discoveryMilliseconds: number;
  status: Status;
  /** Optional programs, with their use and path. */
  programs: readonly { name: string; use: string; path: string | undefined }[];
  /** Features of the editor that Placet can use: the chat participant, language-model tools. */
  offers: readonly string[];
  /** Status from the daemon; absent when no daemon runs. */
  daemon?: DaemonStatus;
  models?: ModelList;
  agents?: AgentList;
  permissions?: PermissionList;
}

const BYTES_PER_MEGABYTE = 1024 * 1024;

/** Section of the report; a line may have code between backticks. */
export interface Section {
  title: string;
  lines: readonly string[];
  /** True for the section of the problems while there is a problem. */
  isGrave?: boolean;
}

export function report(facts: Facts): Section[] {
  const problems = problemsOf(facts);
  const looked = facts.discovery.looked.map(
    ({ candidate, program }) =>
      `${program ? l10n.t('found') : l10n.t('not found')}: ${candidate.source} (\`${candidate.command.join(' ')}\`)`,
  );
  const programs = facts.programs.map(({ name, use, path }) => `${name}: ${path ?? l10n.t('not found')} (${use})`);
  return [
    problems.length > 0
      ? { title: l10n.t('Problems'), lines: problems, isGrave: true }
      : { title: l10n.t('Problems'), lines: [l10n.t('no problems found')] },
    { title: l10n.t('Editor'), lines: editor(facts) },
    { title: l10n.t('Command'), lines: looked },
    { title: 'Placet', lines: daemon(facts) },
    { title: l10n.t('Models'), lines: models(facts.models) },
    { title: l10n.t('Agents'), lines: agents(facts.agents) },
    { title: l10n.t('Permissions'), lines: permissions(facts.permissions) },
    { title: l10n.t('Other programs'), lines: programs },
  ];
}

/** Returns the report as Markdown, for a report of a fault. */
export function markdown(sections: readonly Section[]): string {
  const written = sections.map(({ title, lines }) => `## ${title}\n\n${lines.map((line) => `- ${line}\n`).join('')}`);
  return ['# Placet: Doctor\n', ...written].join('\n');
}

/** Returns the problems, each with a remedy, the gravest problem first. */
export function problemsOf(facts: Facts): string[] {
  const problems: string[] = [];
  if (!facts.isTrusted) {
    problems.push(
      l10n.t(
        'This folder is not trusted, so Placet does not run. To trust the folder, run "Workspaces: Manage Workspace Trust".',
      ),
    );
  }
  if (!facts.discovery.candidate) {
    problems.push(
      l10n.t('Placet was not found. Run "Placet: Install…", or set placet.command to the command that starts Placet.'),
    );
  } else if (facts.status.state === 'failed' && facts.status.problem) {
    problems.push(facts.status.problem);
  }
  if (facts.models && facts.models.total === 0) {
    problems.push(l10n.t('No model is available. Run "Placet: Select Model…".'));
  }
  const { model } = facts.daemon ?? {};
  if (model?.key === 'missing') {
    const variables = model.variables.join(', ');
    problems.push(
      l10n.t(
        'The key for {0} is missing. Run "Placet: Sign In to Provider…", or set {1}.',
        `\`${model.id}\``,
        variables,
      ),
    );
  }
  if (facts.permissions?.problem) {
    problems.push(facts.permissions.problem);
  }
  const warnings = facts.permissions?.rules.flatMap(({ source, line, warning }) =>
    warning ? [`${source}${line === undefined ? '' : `:${line}`}: ${warning}`] : [],
  );
  return [...problems, ...(warnings ?? []), ...(facts.agents?.problems ?? [])];
}

function editor(facts: Facts): string[] {
  const { editor: name, extension, node, platform } = facts;
  return [
    l10n.t('{0}, extension {1}, Node {2}, {3}', name, extension, node, platform),
    facts.remote ? l10n.t('remote: {0}; Placet runs on the remote host', facts.remote) : l10n.t('local'),
    facts.isTrusted ? l10n.t('this workspace is trusted') : l10n.t('restricted mode: only the doctor is available'),
    ...facts.folders.map((folder) => l10n.t('folder: {0}', folder)),
    ...facts.virtualFolders.map((folder) => l10n.t('folder: {0} (virtual: Placet cannot read the files)', folder)),
    ...facts.offers,
  ];
}

function daemon({ status, daemon, discoveryMilliseconds }: Facts): string[] {
  const log = l10n.t('log: output channel "Placet"');
  const search = l10n.t('search for the command: {0} ms', Math.round(discoveryMilliseconds));
  if (!daemon) {
    return [`${status.state}${status.problem ? `: ${status.problem}` : ''}`, log, search];
  }
  const { model, store, client, sandbox, roots = [] } = daemon;
  const memory = daemon.memory === undefined ? '' : `, ${Math.round(daemon.memory / BYTES_PER_MEGABYTE)} MB`;
  return [
    l10n.t('version {0}, process {1}', daemon.version, daemon.pid) + memory,
    l10n.t('running turns: {0}; pending requests: {1}', daemon.running.length, daemon.pending),
    ...(client ? [l10n.t('client: {0}', client)] : []),
    ...roots.map((root) => l10n.t('workspace folder: {0}', root)),
    ...(model ? [l10n.t('model: {0}', `\`${model.id}\``)] : []),
    l10n.t('sandbox: {0}', sandbox),
    ...(sandbox.startsWith('none') ? [l10n.t('no sandbox: allowed commands run with your own rights')] : []),
    ...(store ? [l10n.t('session store: {0}', store)] : []),
    daemon.log ? l10n.t('log: {0}', daemon.log) : log,
    search,
  ];
}

function models(list: ModelList | undefined): string[] {
  if (!list) {
    return [unknown()];
  }
  const main = list.models.find((model) => model.default);
  return [
    main ? l10n.t('default: {0}', `\`${main.id}\``) : l10n.t('no default model'),
    l10n.t('{0} available', list.total),
    ...(list.missing ? [list.missing] : []),
  ];
}

function agents(list: AgentList | undefined): string[] {
  return list ? list.agents.map((agent) => `${agent.name} (${agent.source || l10n.t('built in')})`) : [unknown()];
}

function permissions(list: PermissionList | undefined): string[] {
  if (!list) {
    return [unknown()];
  }
  const sources = [...new Set(list.rules.map((rule) => rule.source))];
  const grants = list.grants.map(({ permission, pattern, scope }) => `\`${permission}: ${pattern}\` (${scope})`);
  return [
    l10n.t('{0} rules, from: {1}', list.rules.length, sources.join(', ')),
    grants.length > 0 ? l10n.t('always allowed: {0}', grants.join(', ')) : l10n.t('nothing is always allowed'),
  ];
}

function unknown(): string {
  return l10n.t('unknown: Placet is not running');
}
