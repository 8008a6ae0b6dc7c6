/** Programs that can install the daemon, the best first. */

export interface Installer {
  program: string;
  parameters: readonly string[];
}

export const INSTALLERS: readonly Installer[] = [
  { program: 'uv', parameters: ['tool', 'install', 'placet'] },
  { program: 'pipx', parameters: ['install', 'placet'] },
];
