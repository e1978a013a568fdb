import { lstat, mkdir, symlink } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { repository } from '#places.ts'
import { finds, type PackageName, type ProjectSetup } from './project-setup.ts'

/** With a clone: it runs at once, without a network, with the packages of the clone. */
export const inFolderOfClone = async (folder: string, needs: PackageName): Promise<ProjectSetup> => {
  const place = join(folder, 'node_modules', needs)
  const isMissing = !finds(folder, needs) && (await lstat(place).catch(() => undefined)) === undefined
  return {
    needsJs: false,
    isModule: true,
    equip: async () => {
      if (isMissing) await link(needs, place)
    },
    added: isMissing ? `; node_modules/${needs} is what it is made with` : '',
    prepare: [],
    ...commands(),
  }
}

const link = async (name: PackageName, place: string): Promise<void> => {
  await mkdir(dirname(place), { recursive: true })
  await symlink(join(repository, 'packages', basename(name)), place)
}

/** In Offhook's folder npx finds what came with it; elsewhere it would look for that on npm. The system's Node may be too old for TypeScript. */
const commands = (): { node: string; offhook: string } => {
  if (!relative(repository, '.').startsWith('..')) return { node: 'npx node', offhook: 'npx offhook' }
  const isOurs = process.execPath.startsWith(join(repository, 'node_modules'))
  return { node: isOurs ? process.execPath : 'node', offhook: `node ${join(repository, 'bin/offhook.mjs')}` }
}
