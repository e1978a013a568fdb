import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { repairFile } from '#media/recording/disk-file.ts'
import { faxesPrefix } from './fax-files.ts'
import type { FolderBlobs } from './folder-blobs.ts'
import { recordingsPrefix } from './peer-files.ts'
import { fetchedPrefix } from './uploading-file-store.ts'

interface OrphansDeps {
  local: FolderBlobs
  store: Store
  /** Clock of file times. */
  wallClock: Clock
}

/** Longer than the recording of a running call ever stays unwritten. */
const silentMs = 10 * 60_000
const day = 24 * 3_600_000

/** Complete files that are only on this machine: those of a dead process, and those from before files were stored elsewhere. */
export async function* orphans({ local, store, wallClock }: OrphansDeps): AsyncGenerator<string, void, undefined> {
  const isComplete = async (key: string, changedAt: number): Promise<boolean> => {
    if (await store.read.uploads.find(key)) return true
    const [kind, accountId = '', name = ''] = key.split('/')
    const notified =
      kind === 'faxes' ? await isOver(store, accountId, name) : await isNotified(store, accountId, name.replace(/\.wav$/, ''))
    return notified ?? changedAt < wallClock.now() - silentMs
  }
  for (const prefix of [recordingsPrefix, faxesPrefix])
    for await (const { key, changedAt } of local.list(prefix)) {
      if (!(await isComplete(key, changedAt))) continue
      if (prefix === recordingsPrefix) repairFile(local.pathOf(key))
      yield key
    }
  for await (const { key, changedAt } of local.list(fetchedPrefix)) if (changedAt < wallClock.now() - day) await local.remove(key)
}

/** Undefined: unknown. */
const isOver = async (store: Store, accountId: string, faxId: string): Promise<boolean | undefined> => {
  const fax = await store.read.faxes.find(accountId, faxId)
  return fax && (fax.direction === 'OUTGOING' || fax.owner === undefined)
}

const isNotified = async (store: Store, accountId: string, id: string): Promise<boolean | undefined> => {
  if (await store.read.recordings.find(accountId, id)) return true
  return (await store.read.runningCalls.haveRecording(id)) ? false : undefined
}
