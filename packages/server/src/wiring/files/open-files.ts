import { join } from 'node:path'
import { faxFiles } from '#adapters/blobs/fax-files.ts'
import { folderBlobs } from '#adapters/blobs/folder-blobs.ts'
import { recordingFiles } from '#adapters/blobs/recording-files.ts'
import { folderShelf } from '#adapters/blobs/shelf.ts'
import type { FaxFiles } from '#core/kernel/ports/fax-papers.ts'
import type { RecordingFiles } from '#core/kernel/ports/recording-files.ts'
import type { Settings } from '#settings/config.ts'

/** Recordings, voicemails and faxes. */
export interface Files {
  recordingFiles: RecordingFiles
  faxFiles: FaxFiles
}

export const openFiles = ({ OFFHOOK_DATA: data }: Settings): Files => {
  const shelf = folderShelf(folderBlobs(data))
  return { recordingFiles: recordingFiles(shelf, join(data, 'recordings')), faxFiles: faxFiles(shelf) }
}
