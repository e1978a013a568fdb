import { stat } from 'node:fs/promises'
import { manifest } from '#places.ts'
import { askHealth } from '../connection/instance.ts'
import { broken, suspect, fine, type Check, type Finding } from './finding.ts'

/** The service reports its time to the second. */
const maxGapMs = 2_000

/** A wrong clock breaks certificates, signatures, tokens and leases. The database check compares that of the database. */
export const checkClock: Check = async ({ runsAt, settings }) => {
  const { mtimeMs } = await stat(manifest)
  const now = new Date().toISOString()
  // No installed file can be newer than now.
  if (mtimeMs > Date.now() + 60_000)
    return [
      broken('clock', `it says ${now}, which is before Offhook was installed`, 'Set it, best by NTP: signatures and tokens depend on it.'),
    ]
  return [await synchronised(now, settings.OFFHOOK_PORTABLE), ...(runsAt === undefined ? [] : await againstService(runsAt))]
}

const againstService = async (url: string): Promise<Finding[]> => {
  const asked = Date.now()
  const { at = NaN } = (await askHealth(url)) ?? {}
  const apart = at + 500 - (asked + Date.now()) / 2
  return Math.abs(apart) > maxGapMs
    ? [suspect('service clock', `${Math.round(apart / 1000)} s apart from ours`, 'Set both machines by NTP.')]
    : []
}

/** Return value of `adjtimex` while nothing sets the clock. */
const unsynchronised = 5

/** The Linux kernel knows whether something (chrony, timesyncd, ntpd, the host) sets its clock. */
const synchronised = async (now: string, portable: boolean): Promise<Finding> => {
  const state = portable ? undefined : await kernelClock().catch(() => undefined)
  if (state === undefined) return fine('clock', `${now}, as far as this machine can tell`)
  return state === unsynchronised
    ? suspect('clock', `${now}, but nothing sets it`, 'Run a time service such as chrony or systemd-timesyncd.')
    : fine('clock', `${now}, set by a time service`)
}

const kernelClock = async (): Promise<number> => {
  const { default: koffi } = await import('koffi')
  const adjtimex = koffi.load('libc.so.6').func('int adjtimex(void *state)') as (state: Buffer) => number
  return adjtimex(Buffer.alloc(512)) // read-only with zero modes; the structure has 208 bytes
}
