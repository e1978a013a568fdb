import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/** What a process has taken until now: seconds of the processor, and bytes of memory that it really uses. */
export interface ProcessUse {
  seconds: number
  bytes: number
}

/** Nothing of both where the system does not say it, or the process is gone. */
export type ReadUse = (pid: number) => Promise<ProcessUse>

/** The unit in which Linux tells processor time, on every machine. */
const ticksPerSecond = 100

export const useFromProc: ReadUse = async (pid) => {
  const [stat, status] = await Promise.all(['stat', 'status'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')))
  // The name, in brackets, may hold anything; utime and stime are the 12th and 13th after it.
  const [user = 0, system = 0] = (stat ?? '')
    .replace(/^.*\) /s, '')
    .split(' ')
    .slice(11, 13)
    .map(Number)
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB/m.exec(status ?? '')?.[1] ?? 0)
  return { seconds: (user + system) / ticksPerSecond, bytes: kilobytes * 1024 }
}

/** Systems without /proc have this program. It costs a process each time. */
export const useFromPs: ReadUse = (pid) =>
  new Promise((resolve) => {
    execFile('ps', ['-o', 'time=,rss=', '-p', String(pid)], { env: { LC_ALL: 'C', PATH: process.env.PATH ?? '' } }, (_, notified) =>
      resolve(readPs(notified)),
    )
  })

/** `0:01.50 20480` on a Mac, `00:00:01 20480` on Linux, `1-02:03:04` after a day. */
export const readPs = (notified: string): ProcessUse => {
  const [, days = 0, clock = '', kilobytes = 0] = /^\s*(?:(\d+)-)?([\d:.]+)\s+(\d+)\s*$/.exec(notified) ?? []
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  return { seconds: Number(days) * 86_400 + seconds, bytes: Number(kilobytes) * 1024 }
}

export const hasProc = (): boolean => existsSync('/proc/self/stat')
