import { release } from 'node:os'

/** Our operating system: `linux`, `wsl` (Linux on Windows), `macos`, or Node's name for it. */
export const systemName = (
  platform: string = process.platform,
  environment: Record<string, string | undefined> = process.env,
  kernel = release(),
): string => {
  if (platform === 'darwin') return 'macos'
  if (platform !== 'linux') return platform
  return environment['WSL_DISTRO_NAME'] !== undefined || /microsoft/i.test(kernel) ? 'wsl' : 'linux'
}
