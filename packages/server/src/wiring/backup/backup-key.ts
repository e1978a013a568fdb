import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { readKeyFile, vaultOf } from '#adapters/vault/file-vault.ts'
import type { Settings } from '#settings/config.ts'
import { keyName } from './manifest.ts'

/** The secret key, as far as backups have to do with it. */
export interface BackupKey {
  /** As it stands in its file. */
  text: string
  /** Tells keys apart, and nothing about them. */
  fingerprint: string
  /** Of a list of sums, given as the sum of it. */
  seal(sum: string): string
}

export const backupKey = (text: string, file?: string): BackupKey => {
  const vault = vaultOf(text, file)
  const sealing = vault.derive('backup seal')
  return {
    text: `${text.trim()}\n`,
    fingerprint: Buffer.from(vault.derive('backup fingerprint')).toString('hex', 0, 8),
    seal: (sum) => createHmac('sha256', sealing).update(sum).digest('hex'),
  }
}

/** Of this installation; undefined when there is none yet. Reading it never makes one. */
export const keyOf = async ({ OFFHOOK_SECRET_KEY: key, OFFHOOK_DATA: data }: Settings): Promise<BackupKey | undefined> => {
  if (key !== undefined) return backupKey(key)
  const file = join(data, keyName)
  const text = await readKeyFile(file)
  return text === undefined ? undefined : backupKey(text, file)
}
