import type { BlobFacts } from '#core/kernel/ports/files.ts'
import type { FolderBlobs } from './folder-blobs.ts'
import { ifThere, openFile, piecesOf, type OpenFile } from './folder-blobs.ts'

/** A file that stays on this machine until it is returned. */
export interface LentFile {
  path: string
  release(): Promise<void>
}

/** Storage of files: written on this machine, read wherever they are. */
export interface FileStore {
  /** A file missing here may be on its way from another machine. */
  readonly ofManyMachines: boolean
  /** Path for an engine that writes it directly; its folder may not exist yet. */
  pathOf(key: string): string
  /** An engine writes the file from now on. */
  begun(key: string): void
  /** The file of an engine is complete. */
  written(key: string): Promise<void>
  write(key: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>
  open(key: string): Promise<OpenFile | undefined>
  /** For engines that read files directly. */
  lend(key: string): Promise<LentFile | undefined>
  remove(key: string): Promise<void>
  list(prefix: string): AsyncIterable<BlobFacts & { key: string }>
}

export const typeOf = (key: string): string => types[key.slice(key.lastIndexOf('.') + 1)] ?? 'application/octet-stream'

const types: Record<string, string> = { wav: 'audio/wav', pdf: 'application/pdf', tif: 'image/tiff', png: 'image/png' }

/** All in one folder: a file stays where it was written. */
export const folderFileStore = (folder: FolderBlobs): FileStore => ({
  ofManyMachines: false,
  pathOf: (key) => folder.pathOf(key),
  begun: () => {},
  written: () => Promise.resolve(),
  write: (key, content) => putWhole(folder, key, content),
  open: (key) => ifThere(() => openFile(folder.pathOf(key))),
  lend: async (key) => ((await folder.size(key)) ? { path: folder.pathOf(key), release: () => Promise.resolve() } : undefined),
  remove: (key) => folder.remove(key),
  list: (prefix) => folder.list(prefix),
})

export const putWhole = async (folder: FolderBlobs, key: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> => {
  await folder.put(key, content instanceof Uint8Array ? piecesOf(content) : content, { type: typeOf(key) })
}
