import { lstat, mkdir, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { repository } from '#places.ts'
import { findsSdk, type Surroundings } from './surroundings.ts'

/** With a clone: it runs at once, without a network, with the SDK of the clone. */
export const inFolderOfClone = async (folder: string): Promise<Surroundings> => {
  const sdk = join(folder, 'node_modules/@offhook/sdk')
  const isMissing = !findsSdk(folder) && (await lstat(sdk).catch(() => undefined)) === undefined
  return {
    needsJs: false,
    isModule: true,
    equip: async () => {
      if (isMissing) await link(sdk)
    },
    added: isMissing ? '; node_modules/@offhook/sdk is what it is made with' : '',
    prepare: [],
    ...commands(),
  }
}

const link = async (sdk: string): Promise<void> => {
  await mkdir(dirname(sdk), { recursive: true })
  await symlink(join(repository, 'packages/sdk'), sdk)
}

/** In Offhook's folder npx finds what came with it; elsewhere it would look for that on npm. The system's Node may be too old for TypeScript. */
const commands = (): { node: string; offhook: string } => {
  if (!relative(repository, '.').startsWith('..')) return { node: 'npx node', offhook: 'npx offhook' }
  const isOurs = process.execPath.startsWith(join(repository, 'node_modules'))
  return { node: isOurs ? process.execPath : 'node', offhook: `node ${join(repository, 'bin/offhook.mjs')}` }
}
