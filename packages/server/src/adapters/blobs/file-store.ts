import type { BlobFacts } from '#core/kernel/ports/blobs.ts'
import type { FolderBlobs } from './folder-blobs.ts'
import { ifThere, openFile, piecesOf, type OpenFile } from './files-on-disk.ts'

/** A file on this machine until it is given back. */
export interface LentFile {
  path: string
  release(): Promise<void>
}

/** Where files are kept: written on this machine, read wherever they are. */
export interface FileStore {
  /** What is not here may be on its way from another machine. */
  readonly ofManyMachines: boolean
  /** Where an engine writes it by itself; its folder may not be there yet. */
  pathOf(key: string): string
  /** What an engine wrote there is complete. */
  written(key: string): Promise<void>
  write(key: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>
  open(key: string): Promise<OpenFile | undefined>
  /** For engines that read by themselves. */
  lend(key: string): Promise<LentFile | undefined>
  remove(key: string): Promise<void>
  list(prefix: string): AsyncIterable<BlobFacts & { key: string }>
}

export const typeOf = (key: string): string => types[key.slice(key.lastIndexOf('.') + 1)] ?? 'application/octet-stream'

const types: Record<string, string> = { wav: 'audio/wav', pdf: 'application/pdf', tif: 'image/tiff', png: 'image/png' }

/** All in one folder: a file is where it was written. */
export const folderFileStore = (folder: FolderBlobs): FileStore => ({
  ofManyMachines: false,
  pathOf: (key) => folder.pathOf(key),
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
