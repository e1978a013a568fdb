import { lstat, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { repository, templateFolder } from '#places.ts'
import { Mistake } from './terminal/mistake.ts'

const template = join(templateFolder, 'assistant.ts')
/** The command in the template that runs it inside the repository. */
const [runsThere, talksThere] = ['npx node examples/first-assistant/assistant.ts', 'npx offhook']

/** Writes a first assistant into a folder, where it runs at once. */
export const init = async (folder = '.'): Promise<void> => {
  const file = join(resolve(folder), 'assistant.ts')
  const linked = await write(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST')
      throw new Mistake(1, `${shown(file)} is there already, and stays as it is. Name another folder: offhook init my-assistant`)
    throw new Mistake(1, `Nothing can be written there: ${error.message}`)
  })
  const { node, offhook } = commands()
  console.log(`${shown(file)} is a first assistant${linked ? '; node_modules/@offhook/sdk is what it is made with' : ''}. Run it:

  ${node} ${shown(file)}

and then, in another terminal:

  ${offhook} dev --endpoint http://127.0.0.1:3000`)
}

/** Whether it had to be told where the SDK is. */
const write = async (file: string): Promise<boolean> => {
  await mkdir(dirname(file), { recursive: true })
  const { node, offhook } = commands()
  const text = await readFile(template, 'utf8')
  await writeFile(file, text.replace(runsThere, `${node} ${shown(file)}`).replace(talksThere, offhook), { flag: 'wx' })
  return linkSdk(dirname(file))
}

/** In Offhook's folder npx finds what came with it; elsewhere it would look for that on npm. The system's Node may be too old for TypeScript. */
const commands = (): { node: string; offhook: string } => {
  if (!relative(repository, '.').startsWith('..')) return { node: 'npx node', offhook: 'npx offhook' }
  const isOurs = process.execPath.startsWith(join(repository, 'node_modules'))
  return { node: isOurs ? process.execPath : 'node', offhook: `node ${join(repository, 'bin/offhook.mjs')}` }
}

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
