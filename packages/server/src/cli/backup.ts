import { constants, setPriority } from 'node:os'
import { resolve } from 'node:path'
import type { Manifest } from '#wiring/backup/manifest.ts'
import { inWords, sizeOf, untilSignal } from './backup/terminal.ts'
import { settingsOf } from './start/settings.ts'

export interface BackupOptions {
  withKey?: boolean
  files: Manifest['files']['included']
}

/** Prints to standard error: standard output may be the archive. */
export const backup = async (file: string, { withKey = false, files }: BackupOptions): Promise<void> => {
  giveWay()
  const settings = settingsOf(process.env)
  const { makeBackup } = await import('#wiring/backup/make-backup.ts')
  const startedAt = performance.now()
  const to = file === '-' ? toStandardOutput : resolve(file)
  const { manifest, end } = await untilSignal((signal) =>
    makeBackup(settings, { to, withKey, files, signal, now: () => Date.now() }).catch((error: unknown) =>
      Promise.reject(inWords(error, file)),
    ),
  )
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.error(`Backed up: ${sizeOf(end.bytes)} in ${end.files} files, in ${seconds} s.`)
  if (end.missing.length > 0) console.error(`${end.missing.length} files were erased meanwhile; end.json in the archive names them.`)
  if (manifest.files.store !== undefined) console.error(`Recordings and faxes that are in ${manifest.files.store} stay there.`)
  console.error(
    withKey
      ? 'The secret key and the logins of the first start are in it: who has this file has everything.'
      : `The secret key (fingerprint ${manifest.key.fingerprint}) is not in it. Keep it elsewhere: nothing can be restored without it.`,
  )
}

/** Lowers the priority, also of child processes: calls on the same machine come first. */
const giveWay = (): void => {
  try {
    setPriority(constants.priority.PRIORITY_LOW)
  } catch {
    // works without the permission as well
  }
}

const toStandardOutput = (piece: Uint8Array): Promise<void> =>
  new Promise((done, failed) => {
    process.stdout.write(piece, (error) => (error ? failed(error) : done()))
  })
