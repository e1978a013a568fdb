import { join } from 'node:path'
import { faxFiles } from '#adapters/blobs/fax-files.ts'
import { folderBlobs } from '#adapters/blobs/folder-blobs.ts'
import { orphans } from '#adapters/blobs/leftovers.ts'
import { recordingFiles } from '#adapters/blobs/recording-files.ts'
import { folderFileStore, type FileStore } from '#adapters/blobs/file-store.ts'
import { Uploader } from '#adapters/blobs/uploader.ts'
import { UploadingFileStore } from '#adapters/blobs/uploading-file-store.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { FaxFiles } from '#core/kernel/ports/fax-papers.ts'
import type { RecordingFiles } from '#core/kernel/ports/recording-files.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Log } from '#log/log-events.ts'
import type { Settings } from '#settings/config.ts'
import { nodeName } from '../cluster/bus.ts'
import type { Open } from '../closing.ts'
import { s3Options } from './s3-options.ts'

/** Recordings, voicemails and faxes. */
export interface Files {
  recordingFiles: RecordingFiles
  faxFiles: FaxFiles
  /** What brings them to the store that all machines share; undefined when they stay in a folder. */
  uploader: Pick<Uploader, 'start' | 'idle'> | undefined
}

interface FilesDeps {
  store: Store
  wallClock: Clock
  log: Log
}

export const openFiles = async (settings: Settings, deps: FilesDeps, open: Open): Promise<Files> => {
  const { OFFHOOK_DATA: data } = settings
  const { shelf: fileStore, uploader } = await openFileStore(settings, deps, open)
  return { recordingFiles: recordingFiles(fileStore, join(data, 'recordings')), faxFiles: faxFiles(fileStore), uploader }
}

const openFileStore = async (
  settings: Settings,
  { store, wallClock, log }: FilesDeps,
  open: Open,
): Promise<{ shelf: FileStore; uploader: Uploader | undefined }> => {
  const local = folderBlobs(settings.OFFHOOK_DATA)
  const options = s3Options(settings)
  if (!options) return { shelf: folderFileStore(local), uploader: undefined }
  const { s3Blobs } = await import('#adapters/blobs/s3-blobs.ts')
  const remote = s3Blobs(options)
  const uploader = new Uploader({
    local,
    remote,
    store,
    clock: wallClock,
    place: nodeName(settings),
    leftovers: () => orphans({ local, store, wallClock }),
    onChange: (failure, waiting) =>
      failure ? log('files_store_unavailable', { why: failure.message, waiting }) : log('files_store_available', { waiting }),
  })
  const close = async (): Promise<void> => {
    await uploader.close()
    await remote.close()
    await uploader.ended()
  }
  open({ close })
  // What is wrong with the settings is said at the start, and not only with the first file. Calls go on without it.
  remote.check().catch((error: Error) => uploader.failed(error))
  return { shelf: new UploadingFileStore({ local, remote, store, uploader }), uploader }
}
