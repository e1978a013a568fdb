import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi')
const libc = koffi.load('libc.so.6')
const clockGettime = libc.func('int clock_gettime(int, void *)') as (clock: number, into: Buffer) => number

const CPUCLOCK_SCHED = 2
const time = Buffer.alloc(16)

/**
 * Milliseconds that a process has run, to the nanosecond: all its threads, those that have ended too. Some programs have a thread for every call,
 * and the kernel's list of threads forgets it with the call.
 */
export const processCpuMs = (pid: number): number => {
  // The clock of a process, as clock_getcpuclockid(3) would make it.
  if (clockGettime((~pid << 3) | CPUCLOCK_SCHED, time) !== 0) throw new Error(`there is no process ${pid}`)
  return Number(time.readBigInt64LE(0)) * 1000 + Number(time.readBigInt64LE(8)) / 1e6
}

/** The same by the names of the threads that run now. */
export const threadCpuMs = (pid: number): Record<string, number> => {
  const threads: Record<string, number> = {}
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    const name = id === String(pid) ? 'main' : textOf(pid, id, 'comm').trim()
    threads[name] = (threads[name] ?? 0) + Number(textOf(pid, id, 'schedstat').split(' ')[0]) / 1e6
  }
  return threads
}

/** A thread may end while it is looked at. */
const textOf = (pid: number, id: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/task/${id}/${file}`, 'utf8')
  } catch {
    return '0 ended'
  }
}
