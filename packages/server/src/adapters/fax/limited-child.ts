import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import type { Readable } from 'node:stream'
import { hasProc, useFromProc, useFromPs, type ReadUse } from './process-use.ts'

export interface Limits {
  /** Of the clock, and of the processor. */
  seconds: number
  memoryBytes: number
  /**
   * How memory is limited. `address`: by the system, where it can. `resident`: only watched, for programs that reserve much more than they use.
   */
  memory: 'address' | 'resident'
  /** Of the processor: to begin and to make its first page, and for each further one. Where the system does not say it, only `seconds` holds. */
  pageSeconds: { first: number; further: number }
  /** How it is watched; as this system allows, unless given. */
  readUse?: ReadUse
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
  /** It has made a page: its time for the next begins. */
  paged(): void
  stop(): void
}

const maxProblemLength = 4_000
const pollIntervalMs = 100
/** Writes nothing to the disk, not even its own corpse; a write that is refused does not kill it. */
const wrapper = (limits: string): string => `trap '' XFSZ; ulimit -c 0; ulimit -f 0; ${limits} exec "$0" "$@"`

/** Runs a program on untrusted input, at the lowest priority. It sees none of our settings. */
export const startLimited = (command: string, args: readonly string[], limits: Limits): LimitedChild => {
  // A Mac knows no such limit; its complaint would pass for one of the program.
  const address = limits.memory === 'address' ? `ulimit -v ${Math.floor(limits.memoryBytes / 1024)} 2> /dev/null;` : ''
  const script = wrapper(`ulimit -t ${Math.ceil(limits.seconds)}; ${address}`)
  const { PATH } = process.env
  const env = { ...(PATH !== undefined && { PATH }), LC_ALL: 'C.UTF-8' }
  const child = spawn('/bin/sh', ['-c', script, command, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env })
  if (child.pid !== undefined) lowerPriority(child.pid)
  let stopped = false
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(0, maxProblemLength)))
  const stop = (): void => {
    stopped = true
    child.kill('SIGKILL')
  }
  const timer = setTimeout(stop, limits.seconds * 1000)
  const budget = new PageBudget(limits.pageSeconds)
  const readUse = limits.readUse ?? (hasProc() ? useFromProc : useFromPs)
  let looking = false
  const look = async (): Promise<void> => {
    if (looking || child.pid === undefined) return
    looking = true
    const use = await readUse(child.pid)
    looking = false
    if (budget.isSpent(use.seconds) || use.bytes > limits.memoryBytes) stop()
  }
  const watch = setInterval(() => void look(), pollIntervalMs)
  const ended = new Promise<ChildEnd>((resolve) => {
    const end = (code: number | null): void => {
      clearTimeout(timer)
      clearInterval(watch)
      resolve({ code: code ?? undefined, stopped: stopped || code === null || code > 128, complaint })
    }
    child.on('error', () => end(1)).on('close', end)
  })
  return { output: child.stdout, ended, paged: () => budget.renew(), stop }
}

/** What of the processor one page may take. */
class PageBudget {
  readonly #further: number
  #left: number
  /** Where its count of seconds stood when we last looked, and when the last page came. */
  #seen = 0
  #since = 0

  constructor({ first, further }: Limits['pageSeconds']) {
    this.#left = first
    this.#further = further
  }

  renew(): void {
    this.#since = this.#seen
    this.#left = this.#further
  }

  isSpent(seconds: number): boolean {
    this.#seen = Math.max(this.#seen, seconds)
    return this.#seen - this.#since > this.#left
  }
}

const lowerPriority = (pid: number): void => {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It is over already.
  }
}
