/** `Placet: Doctor` as a Markdown document, from facts. No values of keys, only what is there. */
import type { Status } from '../agent';
import type { Discovery } from '../daemon/discovery';
import type { AgentList, Status as DaemonStatus, ModelList } from '../wire';

export interface Facts {
  editor: string;
  extension: string;
  node: string;
  platform: string;
  isTrusted: boolean;
  remote: string | undefined;
  folders: readonly string[];
  discovery: Discovery;
  status: Status;
  /** What the daemon says of itself; absent when it does not run. */
  daemon?: DaemonStatus;
  models?: ModelList;
  agents?: AgentList;
}

const BYTES_PER_MEGABYTE = 1024 * 1024;

export function report(facts: Facts): string {
  return [
    '# Placet: Doctor',
    ...section('Editor', [
      `${facts.editor}, extension ${facts.extension}, Node ${facts.node}, ${facts.platform}`,
      facts.remote ? `remote: ${facts.remote}; the daemon runs there, beside the files` : 'local',
      facts.isTrusted
        ? 'this workspace is trusted'
        : '**this workspace is not trusted: the daemon is not started in it**',
      ...facts.folders.map((folder) => `folder: ${folder}`),
    ]),
    ...section('Command', [
      ...facts.discovery.looked.map(
        ({ candidate, program }) =>
          `${program ? '**found**' : 'not there'}: ${candidate.source} (\`${candidate.command.join(' ')}\`)`,
      ),
      ...(facts.discovery.found
        ? []
        : ['**nothing found.** Install it with `uv tool install placet`, or set `placet.command`.']),
    ]),
    ...section('Daemon', daemon(facts)),
    ...section('Models', models(facts.models)),
    ...section('Agents', agents(facts.agents)),
    '',
  ].join('\n');
}

function daemon({ status, daemon }: Facts): string[] {
  if (!daemon) {
    return [`${status.state}${status.problem ? `: ${status.problem}` : ''}`, 'its log is the output channel "Placet"'];
  }
  const memory = daemon.memory === undefined ? '' : `, ${Math.round(daemon.memory / BYTES_PER_MEGABYTE)} MB`;
  return [
    `version ${daemon.version}, process ${daemon.pid}${memory}`,
    `turns that run: ${daemon.running.length}; permission requests that wait: ${daemon.pending}`,
    daemon.log ? `log: ${daemon.log}` : 'its log is the output channel "Placet"',
  ];
}

function models(list: ModelList | undefined): string[] {
  if (!list) {
    return ['not known while the daemon does not run'];
  }
  const main = list.models.find((model) => model.default);
  return [
    main ? `default: \`${main.id}\`` : 'no default model',
    `${list.total} can be chosen`,
    ...(list.missing ? [list.missing] : []),
  ];
}

function agents(list: AgentList | undefined): string[] {
  if (!list) {
    return ['not known while the daemon does not run'];
  }
  return [...list.agents.map((agent) => `${agent.name} (${agent.source || 'built in'})`), ...list.problems];
}

function section(title: string, lines: readonly string[]): string[] {
  return ['', `## ${title}`, '', ...lines.map((line) => `- ${line}`)];
}
