import { faxFiles } from '#adapters/blobs/fax-files.ts'
import { folderBlobs } from '#adapters/blobs/folder-blobs.ts'
import { folderFileStore } from '#adapters/blobs/file-store.ts'
import type { FaxFiles } from '#core/kernel/ports/messages.ts'

/** Fax files in a folder of one machine. */
export const folderFaxFiles = (folder: string): FaxFiles => faxFiles(folderFileStore(folderBlobs(folder)))
