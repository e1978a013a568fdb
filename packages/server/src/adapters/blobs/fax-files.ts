import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { BlobsFailure } from '#core/kernel/ports/files.ts'
import type { FaxFile, FaxFiles } from '#core/kernel/ports/messages.ts'
import { isSafeName } from '#core/telephone/recordings/recording-links.ts'
import { madeFolderOf } from './folder-blobs.ts'
import type { FileStore } from './file-store.ts'

export const faxesPrefix = 'faxes/'

const names: Record<FaxFile['kind'], string> = {
  document: 'document.pdf',
  pages: 'pages.tif',
  report: 'report.pdf',
  preview: 'preview.png',
}

/** Faxes under account/fax/file. */
export const faxFiles = (fileStore: FileStore): FaxFiles => {
  const prefixOf = (accountId: string, faxId: string): string => {
    if (!isSafeName(accountId) || !isSafeName(faxId)) throw new Error('a fax has an odd name')
    return `${faxesPrefix}${accountId}/${faxId}/`
  }
  const keyOf = ({ accountId, faxId, kind }: FaxFile): string => prefixOf(accountId, faxId) + names[kind]
  return {
    async pathOf(file) {
      const path = fileStore.pathOf(keyOf(file))
      await madeFolderOf(path)
      return path
    },

    written: (file) => fileStore.written(keyOf(file)),

    lend: (file) => fileStore.lend(keyOf(file)),

    open: async (file) => fileStore.open(keyOf(file)),

    write: async (file, content) => fileStore.write(keyOf(file), content),

    async erase(accountId, faxId) {
      const keys = Object.values(names).map((name) => prefixOf(accountId, faxId) + name)
      for (const key of keys) await fileStore.remove(key)
      // Includes partial files of a process.
      await rm(dirname(fileStore.pathOf(keys[0] ?? '')), { recursive: true, force: true })
    },

    async bytesOf(accountId, faxId) {
      let sum = 0
      try {
        for await (const { bytes } of fileStore.list(prefixOf(accountId, faxId))) sum += bytes
      } catch (error) {
        // While the store is unavailable only local files count: a received fax is kept nevertheless.
        if (!(error instanceof BlobsFailure)) throw error
      }
      return sum
    },

    list: () => faxesOn(fileStore),
  }
}

/** Sequential: the files of one fax are adjacent. */
async function* faxesOn(fileStore: FileStore): ReturnType<FaxFiles['list']> {
  let fax: { accountId: string; faxId: string; changedAt: number } | undefined
  for await (const { key, changedAt } of fileStore.list(faxesPrefix)) {
    const [accountId = '', faxId = '', name] = key.slice(faxesPrefix.length).split('/')
    if (name === undefined) continue
    if (fax && (fax.accountId !== accountId || fax.faxId !== faxId)) yield fax
    const same = fax?.accountId === accountId && fax.faxId === faxId ? fax : undefined
    fax = { accountId, faxId, changedAt: Math.max(changedAt, same?.changedAt ?? 0) }
  }
  if (fax) yield fax
}
