import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import type { Readable } from 'node:stream'
import { hasProc, useFromProc, useFromPs, type ReadUse } from './process-use.ts'

interface Limits {
  /** Wall time, and CPU time unless `cpuSeconds` is given. */
  seconds: number
  cpuSeconds?: number
  memoryBytes: number
  /**
   * How memory is limited. `address`: by the system, if supported. `resident`: only by polling, for programs that reserve much more than
   * they use.
   */
  memory: 'address' | 'resident'
  /** CPU time: for the start and the first page, and for each further one. Where the system does not report it, only `seconds` applies. */
  pageSeconds: { first: number; further: number }
  /** Reads its resource use; default: as this system allows. */
  readUse?: ReadUse
}

export interface ChildEnd {
  code: number | undefined
  /** It was stopped, or crashed. */
  stopped: boolean
  /** A limit ended it: time, CPU or memory. */
  limited: boolean
  /** Beginning of its error output. */
  complaint: string
}

export interface LimitedChild {
  readonly output: Readable
  readonly ended: Promise<ChildEnd>
  /** It has finished a page: the budget of the next one starts. */
  paged(): void
  stop(): void
}

const maxProblemLength = 4_000
const pollIntervalMs = 100
/** Signals of a process that exceeds its own limits: from Linux, or from V8. */
const ownLimit = { processor: 'SIGXCPU', heap: 'SIGABRT' } as const
/** It writes no files, not even a core dump; a rejected write does not kill it. */
const wrapper = (limits: string): string => `trap '' XFSZ; ulimit -c 0; ulimit -f 0; ${limits} exec "$0" "$@"`

/** Runs a program on untrusted input, at the lowest priority. It gets none of our settings. */
export const startLimited = (command: string, args: readonly string[], limits: Limits): LimitedChild => {
  // macOS has no such limit; its error would look like one of the program.
  const address = limits.memory === 'address' ? `ulimit -v ${Math.floor(limits.memoryBytes / 1024)} 2> /dev/null;` : ''
  const cpuSeconds = limits.cpuSeconds ?? limits.seconds
  const script = wrapper(`ulimit -t ${Math.ceil(cpuSeconds) + 1}; ${address}`)
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
    if (budget.isSpent(use.seconds) || use.seconds > cpuSeconds || use.bytes > limits.memoryBytes) stop()
  }
  const watch = setInterval(() => void look(), pollIntervalMs)
  const ended = new Promise<ChildEnd>((resolve) => {
    const end = (code: number | null, signal?: NodeJS.Signals | null): void => {
      clearTimeout(timer)
      clearInterval(watch)
      const limited = stopped || signal === ownLimit.processor || signal === ownLimit.heap
      resolve({ code: code ?? undefined, stopped: stopped || code === null || code > 128, limited, complaint })
    }
    child.on('error', () => end(1)).on('close', end)
  })
  return { output: child.stdout, ended, paged: () => budget.renew(), stop }
}

/** CPU budget of one page. */
class PageBudget {
  readonly #further: number
  #left: number
  /** CPU seconds at the last poll, and at the last page. */
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
    // It has already ended.
  }
}
