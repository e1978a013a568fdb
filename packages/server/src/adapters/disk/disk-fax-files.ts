import { randomBytes } from 'node:crypto'
import type { Stats } from 'node:fs'
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FaxFile, FaxFiles } from '#core/kernel/ports/fax-papers.ts'
import { isSafeName } from '#core/telephone/recordings/file-name.ts'
import { ifThere, namesIn, openFile } from './files-on-disk.ts'

const names: Record<FaxFile['kind'], string> = {
  document: 'document.pdf',
  pages: 'pages.tif',
  report: 'report.pdf',
  preview: 'preview.png',
}

/** Faxes in a folder of this machine, or in one that all machines of an installation share: account/fax/file. */
export const diskFaxFiles = (folder: string): FaxFiles => {
  const folderOf = (accountId: string, faxId: string): string => {
    if (!isSafeName(accountId) || !isSafeName(faxId)) throw new Error('a fax has an odd name')
    return join(folder, accountId, faxId)
  }
  const pathOf = ({ accountId, faxId, kind }: FaxFile): string => join(folderOf(accountId, faxId), names[kind])
  const madeFolder = ({ accountId, faxId }: FaxFile): Promise<unknown> =>
    mkdir(folderOf(accountId, faxId), { recursive: true, mode: 0o700 })
  return {
    async pathOf(file) {
      await madeFolder(file)
      return pathOf(file)
    },

    open: (file) => ifThere(() => openFile(pathOf(file))),

    async write(file, content) {
      await madeFolder(file)
      await writeWhole(pathOf(file), content)
    },

    erase: (accountId, faxId) => rm(folderOf(accountId, faxId), { recursive: true, force: true }),

    async bytesOf(accountId, faxId) {
      const files = await filesIn(folderOf(accountId, faxId))
      return files.reduce((sum, { size }) => sum + size, 0)
    },

    list: () => faxesIn(folder),
  }
}

/** Under its name the file is never seen half-written. */
const writeWhole = async (path: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> => {
  const draft = `${path}.${randomBytes(4).toString('hex')}.part`
  try {
    await writeFile(draft, content, { mode: 0o600, flush: true })
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

async function* faxesIn(folder: string): ReturnType<FaxFiles['list']> {
  for (const accountId of await namesIn(folder)) {
    if (!isSafeName(accountId)) continue
    for (const faxId of await namesIn(join(folder, accountId))) {
      const path = join(folder, accountId, faxId)
      const found = isSafeName(faxId) ? await ifThere(() => stat(path)) : undefined
      if (found?.isDirectory()) yield { accountId, faxId, changedAt: await lastChange(path, found.mtimeMs) }
    }
  }
}

/** A folder does not change when a file in it grows. */
const lastChange = async (folder: string, changed: number): Promise<number> => {
  const files = await filesIn(folder)
  return Math.floor(Math.max(changed, ...files.map(({ mtimeMs }) => mtimeMs)))
}

const filesIn = async (folder: string): Promise<Stats[]> => {
  const found = await Promise.all((await namesIn(folder)).map((name) => ifThere(() => stat(join(folder, name)))))
  return found.filter((file) => file !== undefined)
}
