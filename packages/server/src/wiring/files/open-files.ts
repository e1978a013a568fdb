import { join, resolve } from 'node:path'
import { exportArchives } from '#adapters/archive/export-archives.ts'
import { faxFiles } from '#adapters/blobs/fax-files.ts'
import { folderBlobs } from '#adapters/blobs/folder-blobs.ts'
import { orphans } from '#adapters/blobs/leftovers.ts'
import { PeerFiles } from '#adapters/blobs/peer-files.ts'
import { Pieces } from '#adapters/blobs/pieces.ts'
import { recordingFiles } from '#adapters/blobs/recording-files.ts'
import { folderFileStore, type FileStore } from '#adapters/blobs/file-store.ts'
import { Uploader } from '#adapters/blobs/uploader.ts'
import { UploadingFileStore } from '#adapters/blobs/uploading-file-store.ts'
import type { Blobs, RecordingFiles } from '#core/kernel/ports/files.ts'
import type { Bus, Clock } from '#core/kernel/ports/platform.ts'
import type { ExportArchives } from '#core/kernel/ports/account.ts'
import type { FaxFiles } from '#core/kernel/ports/messages.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Log } from '#log/log-events.ts'
import type { Settings } from '#settings/config.ts'
import { OwnSweep } from './own-sweep.ts'
import { nodeName } from '../cluster/bus.ts'
import type { Open } from '../closing.ts'
import type { S3Options } from '#adapters/blobs/s3-wire.ts'
import { realClock } from '#adapters/clock/clocks.ts'
import { CannotStart } from '#settings/cannot-start.ts'

/** Recordings, voicemails, faxes, and archives of exports. */
export interface Files {
  recordingFiles: RecordingFiles
  faxFiles: FaxFiles
  exportArchives: ExportArchives
  /** Uploads to the shared file store, or the sweep of this node's own folder; undefined for a single node with a folder. */
  fileWork: Pick<Uploader, 'start' | 'idle'> | undefined
  /** All files by key. */
  files: Pick<FileStore, 'list' | 'remove'>
  /** The shared file store, if configured. */
  shared: Blobs | undefined
}

interface FilesDeps {
  store: Store
  wallClock: Clock
  log: Log
  /** Undefined: a command without other nodes. */
  bus?: Bus
}

export const openFiles = async (settings: Settings, deps: FilesDeps, open: Open): Promise<Files> => {
  const { OFFHOOK_DATA: data } = settings
  const { store, wallClock } = deps
  const { shelf: fileStore, uploader, shared } = await openFileStore(settings, deps, open)
  const { place, peerFiles } = openPlace(settings, deps, shared, open)
  const files = recordingFiles({ fileStore, folder: join(data, 'recordings'), place, peerFiles })
  const onFailure = failureOf(deps)
  return {
    recordingFiles: files,
    faxFiles: faxFiles(fileStore),
    exportArchives: exportArchives({ files: fileStore, dataFolder: data, wallClock }),
    fileWork: uploader ?? (peerFiles && open(new OwnSweep({ store, wallClock, files, onFailure }))),
    files: {
      list: (prefix) => fileStore.list(prefix),
      async remove(key) {
        await fileStore.remove(key)
        peerFiles?.announceErased(key)
      },
    },
    shared,
  }
}

const failureOf =
  ({ log }: Pick<FilesDeps, 'log'>) =>
  (error: unknown): void =>
    log('recording_not_erased', { err: error })

/** With other nodes, each data folder has a name; without a shared store they read each other's recordings. */
const openPlace = (
  settings: Settings,
  { bus, log }: FilesDeps,
  shared: Blobs | undefined,
  open: Open,
): { place?: string; peerFiles?: PeerFiles } => {
  const { DATABASE_URL, OFFHOOK_DATA: data } = settings
  if (DATABASE_URL === undefined || !bus) return {}
  const place = `${nodeName(settings)} ${resolve(data)}`
  if (shared) return { place }
  return { place, peerFiles: open(new PeerFiles({ bus, local: folderBlobs(data), place, onFailure: failureOf({ log }) })) }
}

const openFileStore = async (
  settings: Settings,
  { store, wallClock, log }: FilesDeps,
  open: Open,
): Promise<{ shelf: FileStore; uploader: Uploader | undefined; shared: Blobs | undefined }> => {
  const local = folderBlobs(settings.OFFHOOK_DATA)
  const options = s3Options(settings)
  if (!options) return { shelf: folderFileStore(local), uploader: undefined, shared: undefined }
  const { s3Blobs } = await import('#adapters/blobs/s3-blobs.ts')
  const remote = s3Blobs(options)
  const uploader = new Uploader({
    local,
    remote,
    store,
    clock: wallClock,
    place: nodeName(settings),
    leftovers: () => orphans({ local, store, wallClock }),
    onUploaded: (key) => pieces.remove(key),
    onChange: (failure, waiting) =>
      failure ? log('files_store_unavailable', { why: failure.message, waiting }) : log('files_store_available', { waiting }),
  })
  const pieces: Pieces = new Pieces({ local, remote, clock: wallClock, onFailure: (error) => uploader.failed(error) })
  const close = async (): Promise<void> => {
    await pieces.close()
    await uploader.close()
    await remote.close()
    await uploader.ended()
  }
  open({ close })
  // Reports wrong settings at the start instead of with the first file. Calls continue without it.
  remote.check().catch((error: Error) => uploader.failed(error))
  return { shelf: new UploadingFileStore({ local, remote, store, uploader, pieces }), uploader, shared: remote }
}

/** Undefined: files stay in the data folder. */
export const s3Options = (settings: Settings): S3Options | undefined => {
  const { OFFHOOK_FILES: place, OFFHOOK_S3_KEY: key, OFFHOOK_S3_SECRET: secret, OFFHOOK_S3_SSE: encryption } = settings
  if (!place) return undefined
  const region = settings.OFFHOOK_S3_REGION
  if (key === undefined || secret === undefined)
    throw new CannotStart('OFFHOOK_FILES names a store: it needs OFFHOOK_S3_KEY and OFFHOOK_S3_SECRET.', undefined)
  const url = settings.OFFHOOK_S3_URL ?? `https://s3.${region}.amazonaws.com`
  return { ...place, url, region, key, secret, encryption, clock: realClock(), style: styleOf(settings.OFFHOOK_S3_STYLE, url) }
}

/** Amazon's certificate does not cover bucket names with dots. */
const styleOf = (style: Settings['OFFHOOK_S3_STYLE'], url: string): S3Options['style'] => {
  if (style !== 'auto') return style
  return new URL(url).hostname.endsWith('.amazonaws.com') ? 'host' : 'path'
}
