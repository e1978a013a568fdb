import { constants } from 'node:fs'
import { copyFile, lstat, mkdir, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { Mistake } from './mistake.ts'

const repository = join(import.meta.dirname, '../../../..')
const template = join(repository, 'examples/first-assistant/assistant.ts')

/** Writes a first assistant into a folder, where `node assistant.ts` runs it. */
export const init = async (folder = '.'): Promise<void> => {
  const file = join(resolve(folder), 'assistant.ts')
  await mkdir(dirname(file), { recursive: true })
  await copyFile(template, file, constants.COPYFILE_EXCL).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new Mistake(1, `${shown(file)} is there already, and stays as it is.`) : error
  })
  const linked = await linkSdk(dirname(file))
  console.log(`${shown(file)} is a first assistant${linked ? '; node_modules/@offhook/sdk is what it is made with' : ''}. Run it:

  ${inRepository() ? `npx node ${shown(file)}` : `node ${shown(file)}        (Node 22.18 or newer; \`npx node\` in Offhook's folder is one)`}

and then, in another terminal${inRepository() ? '' : `, in Offhook's folder`}:

  npx offhook dev --endpoint http://127.0.0.1:3000`)
}

/** Where npx finds what came with Offhook. */
const inRepository = (): boolean => !relative(repository, '.').startsWith('..')

const shown = (file: string): string => relative('.', file)

/** Where the SDK cannot be found from: a link to ours. Whether that was needed. */
const linkSdk = async (folder: string): Promise<boolean> => {
  const sdk = join(folder, 'node_modules/@offhook/sdk')
  if (isFound(folder) || (await lstat(sdk).catch(() => undefined))) return false
  await mkdir(dirname(sdk), { recursive: true })
  await symlink(join(repository, 'packages/sdk'), sdk)
  return true
}

const isFound = (folder: string): boolean => {
  try {
    createRequire(join(folder, 'assistant.ts')).resolve('@offhook/sdk')
    return true
  } catch {
    return false
  }
}
