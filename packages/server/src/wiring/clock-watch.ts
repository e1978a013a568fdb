import { ClockWatch } from '#core/operate/nodes/clock-watch.ts'
import type { Settings } from '#settings/config.ts'
import type { Platform } from './platform.ts'

/** Phones are registered for a time, not until a time. Several processes have clocks of their own, which have to be right. */
export const openClockWatch = (settings: Settings, { wallClock, store, log }: Platform, everyMs: number): ClockWatch =>
  new ClockWatch({
    clock: wallClock,
    everyMs,
    wasSet(ms) {
      log('clock_changed', { seconds: Math.round(ms / 1000) })
      if (settings.DATABASE_URL !== undefined) return
      const failed = (error: unknown): void => log('registrations_not_moved', { err: error })
      void store.write(({ devices }) => devices.moveRegistrations(ms)).catch(failed)
    },
  })
