/** Programs that can install the daemon, the best first. */

export interface Installer {
  program: string;
  /** Arguments in front of the package's name, or of the path of a wheel. */
  parameters: readonly string[];
}

export const INSTALLERS: readonly Installer[] = [
  { program: 'uv', parameters: ['tool', 'install'] },
  { program: 'pipx', parameters: ['install'] },
];
