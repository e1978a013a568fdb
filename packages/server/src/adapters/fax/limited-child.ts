import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'

export interface Limits {
  /** Of the clock, and of the processor. */
  seconds: number
  memoryBytes: number
  /** How memory is limited. `address`: by the system. `resident`: watched, for programs that reserve much more than they use. */
  memory: 'address' | 'resident'
}

export interface ChildEnd {
  code: number | undefined
  /** It was not allowed to go on, or fell over. */
  stopped: boolean
  /** What it complained about, the beginning of it. */
  complaint: string
}

export interface LimitedChild {
  readonly output: Readable
  readonly ended: Promise<ChildEnd>
  stop(): void
}

const mostComplaint = 4_000
const lookEveryMs = 200
/** Writes nothing to the disk, not even its own corpse; a write that is refused does not kill it. */
const wrapper = (limits: string): string => `trap '' XFSZ; ulimit -c 0; ulimit -f 0; ${limits} exec "$0" "$@"`

/** Runs a program on something that is not trusted. It sees none of our settings. */
export const startLimited = (command: string, args: readonly string[], limits: Limits): LimitedChild => {
  const address = limits.memory === 'address' ? `ulimit -v ${Math.floor(limits.memoryBytes / 1024)};` : ''
  const script = wrapper(`ulimit -t ${Math.ceil(limits.seconds)}; ${address}`)
  const { PATH } = process.env
  const env = { ...(PATH !== undefined && { PATH }), LC_ALL: 'C.UTF-8' }
  const child = spawn('/bin/sh', ['-c', script, command, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env })
  let stopped = false
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(0, mostComplaint)))
  const stop = (): void => {
    stopped = true
    child.kill('SIGKILL')
  }
  const timer = setTimeout(stop, limits.seconds * 1000)
  const watch = limits.memory === 'resident' ? setInterval(() => void watchMemory(child.pid, limits, stop), lookEveryMs) : undefined
  const ended = new Promise<ChildEnd>((resolve) => {
    const end = (code: number | null): void => {
      clearTimeout(timer)
      clearInterval(watch)
      resolve({ code: code ?? undefined, stopped: stopped || code === null || code > 128, complaint })
    }
    child.on('error', () => end(1)).on('close', end)
  })
  return { output: child.stdout, ended, stop }
}

/** Where the system says it; elsewhere the limits of the program itself have to do. */
const watchMemory = async (pid: number | undefined, { memoryBytes }: Limits, stop: () => void): Promise<void> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0)
  if (kilobytes * 1024 > memoryBytes) stop()
}
