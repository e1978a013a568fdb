import { join } from 'node:path'
import { openVault } from '#adapters/vault/file-vault.ts'
import type { Vault } from '#core/kernel/ports/platform.ts'
import { blame } from '#settings/cannot-start.ts'
import type { Settings } from '#settings/config.ts'

export const keyFile = ({ OFFHOOK_DATA: data }: Pick<Settings, 'OFFHOOK_DATA'>): string => join(data, 'secret.key')

/** Opened before the store, whose secrets cannot be read without the key. */
export const openKey = (settings: Settings): Promise<Vault> => {
  const { OFFHOOK_DATA, OFFHOOK_SECRET_KEY: key } = settings
  const opened = openVault({ file: keyFile(settings), ...(key !== undefined && { key }) })
  return opened.catch(blame(`The secret key in the data folder ${OFFHOOK_DATA}`, () => true))
}
