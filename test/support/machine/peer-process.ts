import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { Scope } from './temporary-folder.ts'

const kept = 200_000
const pollIntervalMs = 50
/** Generous timeout: a busy machine takes longer. */
export const timeoutMs = 90_000

/** Running third-party program. */
export interface PeerProcess {
  readonly pid: number
  /** End of its output, both streams together. */
  readonly output: () => string
  readonly ended: Promise<number | null>
  running(): boolean
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** Starts it in a separate process group: neither it nor its children outlive the test. */
export const startPeer = (t: Scope, command: string, args: readonly string[], folder: string): PeerProcess => {
  // Some programs keep files in their home.
  const env = { ...process.env, HOME: folder, TERM: 'dumb' }
  const stdio = ['ignore', 'pipe', 'pipe'] satisfies StdioOptions
  // Also killed when the test run is killed.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', command, ...args], { cwd: folder, env, stdio, detached: true })
  const output = collected(child)
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const running = (): boolean => child.exitCode === null && child.signalCode === null
  const stop = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    if (running() && child.pid !== undefined) process.kill(-child.pid, signal)
    await ended
  }
  t.after(() => stop())
  return { pid: child.pid ?? -1, output, ended, running, stop }
}

const collected = (child: ChildProcess): (() => string) => {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-kept)
    })
  }
  return () => text
}

/** Polls until there is a value: for changes that third-party programs do not announce. */
export const until = async <T>(what: string, look: () => Promise<T | undefined> | T | undefined, ms = timeoutMs): Promise<T> => {
  const deadline = performance.now() + ms
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > deadline) throw new Error(`${what}: not within ${ms} ms`)
    await pause(pollIntervalMs)
  }
}

/** Resolves when the program has opened this port; throws with its last output if it ends instead. */
export const listening = async (peer: PeerProcess, kind: 'udp' | 'tcp', port: number): Promise<void> => {
  await until(`port ${port} of ${peer.pid}`, async () => {
    if (!peer.running()) throw new Error(`it ended early: ${peer.output().slice(-3000)}`)
    return (await isOpen(peer.pid, kind, port)) || undefined
  })
}

/** Asks the kernel, because binding the port could take it from the program; in the program's network namespace. */
const isOpen = async (pid: number, kind: 'udp' | 'tcp', port: number): Promise<boolean> => {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 `
  const listeningState = kind === 'udp' ? '07' : '0A'
  return (await readFile(`/proc/${pid}/net/${kind}`, 'utf8').catch(() => '')).includes(`${local}${listeningState}`)
}
