import { spawn } from 'node:child_process'

/** Best effort: where there is no desktop, the address on the terminal has to do. */
export const openBrowser = (address: string): void => {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open'
  const child = spawn(program, [address], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}
