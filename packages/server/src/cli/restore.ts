import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Source } from '#wiring/backup/unpack.ts'
import { inWords, sizeOf, untilSignal } from './backup/terminal.ts'
import { settingsOf } from './start/settings.ts'
import { Mistake } from './terminal/mistake.ts'

export interface RestoreOptions {
  keyFile?: string
  rehearsal?: boolean
  erasures?: string
}

export const restore = async (file: string, { keyFile, rehearsal = false, erasures }: RestoreOptions): Promise<void> => {
  const settings = settingsOf(process.env)
  const { restoreBackup } = await import('#wiring/backup/restore-backup.ts')
  const source = await sourceOf(file)
  const { manifest, end, erased, erasuresUnknown } = await untilSignal((signal) =>
    restoreBackup(settings, { source, keyFile, rehearsal, signal, erasures }).catch((error: unknown) =>
      Promise.reject(inWords(error, file)),
    ),
  )
  console.error(`Restored into ${settings.OFFHOOK_DATA}: ${sizeOf(end.bytes)} in ${end.files} files, as they were at ${manifest.at}.`)
  if (manifest.files.store !== undefined)
    console.error(`Further recordings and faxes are in ${manifest.files.store}: OFFHOOK_FILES has to name it.`)
  if (erased > 0) console.error(`Erased again: ${erased} persons or accounts that were erased after the backup.`)
  else if (erasures === undefined)
    console.error(
      'No erasure after this backup is known here. If there was one, restore with --erasures and a newer backup or erasures.journal.',
    )
  if (erasuresUnknown) console.error('The store of files does not answer: erasures that only it knows are repeated by the next start.')
  if (rehearsal) console.error('This is a rehearsal: trunks are switched off, and what waited is not sent.')
}

const sourceOf = async (file: string): Promise<Source> => {
  if (file === '-') return { content: process.stdin as AsyncIterable<Uint8Array>, bytes: undefined }
  const { size: bytes } = await stat(file).catch((error: Error) => Promise.reject(new Mistake(1, error.message)))
  return { content: createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Uint8Array>, bytes }
}
