import { faxFiles } from '#adapters/blobs/fax-files.ts'
import { folderBlobs } from '#adapters/blobs/folder-blobs.ts'
import { folderShelf } from '#adapters/blobs/file-store.ts'
import type { FaxFiles } from '#core/kernel/ports/fax-papers.ts'

/** Faxes as they lie on one machine. */
export const folderFaxFiles = (folder: string): FaxFiles => faxFiles(folderShelf(folderBlobs(folder)))
