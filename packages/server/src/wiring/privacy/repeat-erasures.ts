import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { localBus } from '#adapters/bus/local-bus.ts'
import { realClock } from '#adapters/clock/clocks.ts'
import { openVault } from '#adapters/vault/file-vault.ts'
import { busChanges } from '#core/kernel/changes/publish-changes.ts'
import { MetricSources } from '#core/operate/metrics/families/metric-sources.ts'
import type { Log } from '#log/log-events.ts'
import type { Settings } from '#settings/config.ts'
import { ClosingOrder } from '../closing.ts'
import { openStore } from '../database/open-store.ts'
import { openFiles } from '../files/open-files.ts'
import { openPersonalData } from './open-personal-data.ts'

/** Without a running service: repeats all erasures in the journal that the database does not contain. Migrates the schema. */
export const repeatErasures = async (settings: Settings, log: Log): Promise<number> => {
  const { OFFHOOK_DATA: data, OFFHOOK_SECRET_KEY: key } = settings
  const closing = new ClosingOrder()
  const { open } = closing
  const clock = realClock()
  try {
    const vault = await openVault({ file: join(data, 'secret.key'), ...(key !== undefined && { key }) })
    const { opened, database } = await openStore(settings, { log, metrics: new MetricSources(clock) })
    const store = open(opened)
    const files = await openFiles(settings, { store, wallClock: clock, log }, open)
    const bus = open(localBus())
    const { resumeErasures } = openPersonalData(
      { data, database, files, clock, vault, bus, changes: busChanges(bus), routing: undefined, log },
      open,
    )
    return await resumeErasures()
  } finally {
    await closing.close()
    await rm(join(data, 'offhook.db.lock'), { force: true })
  }
}
