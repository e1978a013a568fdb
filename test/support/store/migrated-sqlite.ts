import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteStore } from '#adapters/store/sqlite-store.ts'

/** Setting with the folder that the processes of a test run share. */
const folderSetting = 'OFFHOOK_TEST_FOLDER'

let template: Promise<string> | undefined

/** Copies a migrated database to this path: a copy costs a fiftieth of the migrations. */
export const copyMigrated = async (path: string): Promise<void> => copyFile(await (template ??= makeTemplate()), path)

const makeTemplate = async (): Promise<string> => {
  const file = join(sharedFolder(), 'migrated.db')
  if (existsSync(file)) return file
  const own = `${file}.${process.pid}`
  await (await sqliteStore(own)).close()
  rmSync(`${own}.lock`)
  renameSync(own, file) // another process may have made the same one
  return file
}

const sharedFolder = (): string => {
  const given = process.env[folderSetting]
  if (given !== undefined) return given
  const folder = mkdtempSync(join(tmpdir(), 'offhook-template-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
