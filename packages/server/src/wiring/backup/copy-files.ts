import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { filesUnder, readFileNow } from '#adapters/archive/folder-files.ts'
import type { SummedArchive } from '#adapters/archive/summed-archive.ts'
import { isPlainPath } from '#adapters/archive/tar-reader.ts'
import type { Settings } from '#settings/config.ts'
import { s3Options } from '../files/s3-options.ts'
import { folders, journalName, type Manifest } from './manifest.ts'

/** Recordings, faxes, mails, and what waits for the database. Gives those that are not in the archive, since they were erased meanwhile. */
export const copyFiles = async (settings: Settings, which: Manifest['files']['included'], archive: SummedArchive): Promise<string[]> => {
  const { OFFHOOK_DATA: data } = settings
  const missing: string[] = []
  for (const name of (await readdir(data)).filter((one) => journalName.test(one))) await copyOne(data, name, archive, missing)
  if (which === 'none') return missing
  const toBeUploaded = settings.OFFHOOK_FILES ? new Set<string>() : undefined
  for (const folder of folders)
    for await (const name of filesUnder(data, folder)) {
      toBeUploaded?.add(name)
      await copyOne(data, name, archive, missing)
    }
  if (which === 'all' && toBeUploaded) await copyStored(settings, toBeUploaded, archive, missing)
  return missing
}

const copyOne = async (data: string, name: string, archive: SummedArchive, missing: string[]): Promise<void> => {
  const file = isPlainPath(name) ? await readFileNow(join(data, name)) : undefined
  if (!file) return void missing.push(name)
  try {
    if (!(await archive.add({ name, ...file }, file.content))) missing.push(name)
  } finally {
    await file.close()
  }
}

/** From the store that all machines share, but for what was here as well. */
const copyStored = async (settings: Settings, already: ReadonlySet<string>, archive: SummedArchive, missing: string[]): Promise<void> => {
  const options = s3Options(settings)
  if (!options) return
  const { s3Blobs } = await import('#adapters/blobs/s3-blobs.ts')
  const store = s3Blobs(options)
  try {
    for (const folder of ['recordings', 'faxes'])
      for await (const { key } of store.list(`${folder}/`)) {
        if (already.has(key)) continue
        const found = await store.open(key)
        if (!found || !(await archive.add({ name: key, ...found }, found.content))) missing.push(key)
      }
  } finally {
    await store.close()
  }
}
