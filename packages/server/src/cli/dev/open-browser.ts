import { spawn } from 'node:child_process'
import { systemName } from '#adapters/machine/system.ts'

type Opener = readonly [program: string, ...before: string[]]

const openers: Record<string, readonly Opener[]> = {
  macos: [['open']],
  // The browser of Windows: wslview comes with wslu, the other with Windows. explorer.exe would take an address with a question mark for a folder.
  wsl: [['wslview'], ['rundll32.exe', 'url.dll,FileProtocolHandler'], ['xdg-open']],
}

/** Best effort: where there is no desktop, the address on the terminal has to do. */
export const openBrowser = (address: string, system = systemName()): void => tryNext(address, openers[system] ?? [['xdg-open']])

/** A program that is not there is known only when it is started. */
const tryNext = (address: string, [opener, ...others]: readonly Opener[]): void => {
  if (!opener) return
  const [program, ...before] = opener
  const child = spawn(program, [...before, address], { stdio: 'ignore', detached: true })
  child.on('error', () => tryNext(address, others))
  child.unref()
}
