import { release } from 'node:os'

/** The system that we run on: `linux`, `wsl` (Linux inside of Windows), `macos`, or what Node calls it. */
export const systemName = (
  platform: string = process.platform,
  environment: Record<string, string | undefined> = process.env,
  kernel = release(),
): string => {
  if (platform === 'darwin') return 'macos'
  if (platform !== 'linux') return platform
  return environment['WSL_DISTRO_NAME'] !== undefined || /microsoft/i.test(kernel) ? 'wsl' : 'linux'
}
